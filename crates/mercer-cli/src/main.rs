//! `mercer`: kernel methods from a file and a terminal.

mod args;
mod commands;
mod config;
mod context;
mod exit;
mod export;
mod formulas;
mod help;
mod layout;
mod load;
mod memory;
mod output;
mod prepare;
mod printer;
mod progress;
mod reads;
mod report;
mod spectrum;
mod system;
mod target;
mod visible;
mod wall;

use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};
use context::{Context, Interrupt};
use exit::{Answer, Outcome};
use printer::{Printer, Style};

fn main() -> ExitCode {
    system::report_large_files();
    let cli = Cli::parse();
    let printer = Arc::new(Printer::new(cli.global.json, cli.global.quiet));
    let code = exit::guard(|| run(cli, &printer)).unwrap_or_else(|defect| {
        printer.err("error", Style::Red, &defect);
        printer.err("hint", Style::Cyan, "please report it with the command that you ran and the lines above");
        4
    });
    ExitCode::from(code)
}

/// Runs the command and answers the exit code.
fn run(cli: Cli, printer: &Arc<Printer>) -> u8 {
    let interrupt = Interrupt::listen(printer);
    let done = Context::new(&cli.global, Arc::clone(printer), Arc::clone(&interrupt))
        .map_err(exit::Failure::from)
        .and_then(|context| {
            wall::build(&context.run, printer);
            dispatch(cli.command, &context)
        });
    match done {
        Ok(Answer::Yes) if cli.global.strict && !printer.warnings().is_empty() => 1,
        Ok(answer) => answer.code(),
        Err(failure) => {
            if let Some(report) = failure.report() {
                printer.failure(&report);
            }
            failure.code(interrupt.is_raised())
        }
    }
}

fn dispatch(command: Option<Command>, context: &Context) -> Outcome<Answer> {
    let done = match command {
        None => context.printer.out(&Cli::command().render_help().to_string()),
        Some(Command::Data(args)) => commands::data::run(&args, context),
        Some(Command::Kernel(args)) => commands::kernel::run(&args, context),
        Some(Command::Gram(args)) => commands::gram::run(&args, context),
        Some(Command::Completions(args)) => commands::completions::run(&args, context),
        Some(Command::Predict(args)) => commands::predict::run(&args, context),
        Some(Command::Score(args)) => commands::score::run(&args, context),
        Some(Command::Inspect(args)) => commands::inspect::run(&args, context),
        Some(Command::Export(args)) => commands::export::run(&args, context),
        Some(Command::Import(args)) => commands::import::run(&args, context),
        Some(Command::Models) => commands::models::run(context),
        Some(Command::Study(args)) => commands::study::run(&args, context),
        Some(Command::Gallery(args)) => commands::gallery::run(&args, context),
        Some(Command::Explain(args)) => commands::explain::run(&args, context),
        Some(Command::Verify(args)) => return commands::verify::run(&args, context),
        Some(Command::Segment(args)) => return commands::segment::run(&args, context),
        Some(Command::Cluster(args)) => return commands::cluster::run(&args, context),
        Some(Command::Compare(args)) => return commands::compare::run(&args, context),
        Some(Command::Tune(args)) => return commands::tune::run(&args, context),
        Some(Command::Depend(args)) => return commands::depend::run(&args, context),
        Some(Command::Embed(args)) => return commands::embed::run(&args, context),
        Some(Command::Fit(args)) => return commands::fit::run(&args, context),
        Some(Command::Check(args)) => return commands::check::run(&args, context),
    };
    done.map(|()| Answer::Yes)
}
