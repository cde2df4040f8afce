//! `mercer completions`: scripts for shells.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs};
use crate::context::Context;
use crate::exit::{Failure, Outcome};

/// Prints the script of a shell.
pub fn run(args: &CompletionsArgs, context: &Context) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "mercer", &mut script);
    let text = String::from_utf8(script)
        .map_err(|_| Failure::usage("the completion script is not text", "report it as a defect of Mercer"))?;
    context.printer.out(&text)
}
