//! Odd CSV files by chance. Whoever writes a cell knows what it means, so the judge needs no reader: a column comes back with
//! those values, or the file is refused with the name of a column that deserves it. Nothing is misread in silence.

use mercer::chance::Chance;
use mercer::data::{Column, ReadOptions};

use super::{read_text, table};

/// How the numbers of a column are written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Style {
    Plain,
    Percent,
    Dollars,
    EurosBehind,
    Thousands,
    DecimalComma,
    Blanks,
    Apostrophes,
    /// Plain numbers and one word.
    Spoilt,
    /// Words.
    Words,
}

const STYLES: [Style; 10] = [
    Style::Plain,
    Style::Percent,
    Style::Dollars,
    Style::EurosBehind,
    Style::Thousands,
    Style::DecimalComma,
    Style::Blanks,
    Style::Apostrophes,
    Style::Spoilt,
    Style::Words,
];

struct Written {
    style: Style,
    cells: Vec<String>,
    /// What they mean; nothing for words and gaps.
    values: Vec<Option<f64>>,
}

/// A number of cents, in digits: whole part and two decimals.
fn digits(cents: u64) -> (String, String) {
    ((cents / 100).to_string(), format!("{:02}", cents % 100))
}

/// Digits in groups of three.
fn grouped(whole: &str, mark: &str) -> String {
    let mut groups: Vec<String> = Vec::new();
    let mut rest = whole;
    while rest.len() > 3 {
        groups.insert(0, rest[rest.len() - 3..].to_owned());
        rest = &rest[..rest.len() - 3];
    }
    groups.insert(0, rest.to_owned());
    groups.join(mark)
}

fn spell(style: Style, cents: u64, minus: bool) -> (String, f64) {
    let (whole, part) = digits(cents);
    let sign = if minus { "-" } else { "" };
    let value: f64 = format!("{sign}{whole}.{part}").parse().expect("digits");
    match style {
        Style::Plain | Style::Spoilt | Style::Words => (format!("{sign}{whole}.{part}"), value),
        Style::Percent => {
            (format!("{sign}{whole}.{part}%"), format!("{sign}{whole}.{part}e-2").parse().expect("digits"))
        }
        Style::Dollars => (format!("{sign}${}.{part}", grouped(&whole, ",")), value),
        Style::EurosBehind => (format!("{sign}{},{part} €", grouped(&whole, ".")), value),
        Style::Thousands => (format!("{sign}{}.{part}", grouped(&whole, ",")), value),
        Style::DecimalComma => (format!("{sign}{whole},{part}"), value),
        Style::Blanks => (format!("{sign}{},{part}", grouped(&whole, " ")), value),
        Style::Apostrophes => (format!("{sign}{}.{part}", grouped(&whole, "'")), value),
    }
}

fn column(chance: &mut Chance, rows: usize) -> Written {
    let style = STYLES[chance.below(STYLES.len())];
    let bad = chance.below(rows);
    let mut written = Written { style, cells: Vec::new(), values: Vec::new() };
    for i in 0..rows {
        let gap = chance.below(12) == 0 && i > 3;
        let size = [1000, 100_000, 1_000_000_000][chance.below(3)];
        let (cell, value) = spell(style, chance.below(size) as u64, chance.below(4) == 0);
        let (cell, value) = match style {
            Style::Words => (["red", "green", "12 apples", "n°7"][chance.below(4)].to_owned(), None),
            Style::Spoilt if i == bad => {
                (["oops", "n.a.", "12 kg", "#DIV/0!", "1-2"][chance.below(5)].to_owned(), None)
            }
            _ if gap => (["", "NA", " "][chance.below(3)].to_owned(), None),
            _ => (cell, Some(value)),
        };
        written.cells.push(cell);
        written.values.push(value);
    }
    written
}

fn quoted(cell: &str, delimiter: char, always: bool) -> String {
    match always || cell.contains(delimiter) || cell.starts_with('#') {
        true => format!("\"{cell}\""),
        false => cell.to_owned(),
    }
}

/// The text of a file, with the lines of its rows.
fn file(chance: &mut Chance, columns: &[Written], rows: usize) -> (String, Vec<u64>) {
    let delimiter = [',', ';', '\t', '|'][chance.below(4)];
    let (always, end) = (chance.below(3) == 0, ["\n", "\r\n"][chance.below(2)]);
    let row_names = chance.below(3) == 0;
    let (mut text, mut lines, mut line) = (String::new(), Vec::new(), 0);
    let mut add = |content: &str| {
        text += content;
        text += end;
        line += 1;
        line
    };
    for i in 0..chance.below(3) {
        add(&format!("# remark {i}"));
    }
    let join = |cells: Vec<String>| cells.join(&delimiter.to_string());
    let names = (0..columns.len()).map(|j| format!("column {j}"));
    add(&join(row_names.then(String::new).into_iter().chain(names).collect()));
    for i in 0..rows {
        if chance.below(15) == 0 {
            add("");
        }
        let cells = columns.iter().map(|c| quoted(&c.cells[i], delimiter, always));
        let name = row_names.then(|| format!("row{i}"));
        lines.push(add(&join(name.into_iter().chain(cells).collect())));
    }
    (text, lines)
}

fn judge(columns: &[Written], lines: &[u64], text: &str) -> &'static str {
    let read = read_text("odd.csv", text, &ReadOptions::default());
    let data = match read {
        Ok(data) => data,
        Err(error) => {
            let said = error.to_string();
            let spoilt = columns.iter().enumerate().filter(|(_, c)| c.style == Style::Spoilt);
            let deserved = spoilt.filter(|(j, c)| {
                let bad = c
                    .values
                    .iter()
                    .zip(&c.cells)
                    .position(|(v, cell)| v.is_none() && !["", "NA", " "].contains(&&cell[..]));
                bad.is_some_and(|i| {
                    said.contains(&format!("line {}, column `column {j}`", lines[i])) && said.contains(&c.cells[i])
                })
            });
            assert!(deserved.count() == 1, "refused without a reason: {said}\n{text}");
            return "refused";
        }
    };
    assert_eq!(table(&data).ncols(), columns.len(), "{:?}\n{text}", table(&data).names());
    for (j, written) in columns.iter().enumerate() {
        let name = format!("column {j}");
        match (table(&data).column(&name), written.style) {
            (Some(Column::Number(values)), style) if style != Style::Words && style != Style::Spoilt => {
                let same = values.iter().zip(&written.values).all(|(a, b)| b.map_or(a.is_nan(), |b| *a == b));
                assert!(same, "{name}: {values:?}, not {:?}\n{text}", written.values);
            }
            (Some(Column::Category(_) | Column::Structured(_)), Style::Words) => {}
            (found, style) => panic!("{name} is {style:?} and was read as {found:?}\n{text}"),
        }
    }
    "read"
}

fn attack(rounds: usize, seed: u64) {
    let mut chance = Chance::new(seed);
    let (mut read, mut refused) = (0, 0);
    for _ in 0..rounds {
        let rows = 8 + chance.below(30);
        let columns: Vec<Written> = (0..2 + chance.below(4)).map(|_| column(&mut chance, rows)).collect();
        let (text, lines) = file(&mut chance, &columns, rows);
        match judge(&columns, &lines, &text) {
            "read" => read += 1,
            _ => refused += 1,
        }
    }
    assert!(read > rounds / 4 && refused > rounds / 20, "{read} read, {refused} refused");
}

#[test]
fn odd_files_are_read_right_or_refused() {
    attack(400, 8);
}

#[test]
#[ignore = "long: MERCER_ROUNDS=20000 cargo nextest run --release --workspace --run-ignored only -E 'test(attacked_for_long)'"]
fn odd_files_attacked_for_long() {
    let number = |name: &str, usual: u64| std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(usual);
    attack(number("MERCER_ROUNDS", 20_000) as usize, number("MERCER_SEED", 1));
}
