//! Figures by chance, with everything that is wrong in them: values that are none, one point, equal values, sizes at the ends
//! of the numbers, thousands of series, texts of any length and script. Each is refused with a sentence, or is a picture that the
//! judge accepts, twice the same.

use mercer::plot::{Axis, ColourMap, Field, Figure, Form, Ink, Mark, Panel, Scale, Series, Theme};
use mercer::testkit::points::Chance;

use super::judge::judge;

struct Maker {
    chance: Chance,
}

const WORDS: [&str; 12] = [
    "",
    "a",
    "<svg>&\"'",
    "漢字 🐧 ع",
    "line\nbreak\ttab",
    "\u{0}\u{1}\u{fffe}",
    "λ̂ᵢ ≤ ‖x‖²",
    "]]>",
    "e\u{301}\u{302}\u{303}",
    "   ",
    "0",
    "a rather long text with many words that has to be broken or cut somewhere near its end, wherever that is",
];

impl Maker {
    fn below(&mut self, n: usize) -> usize {
        ((self.chance.unit() * n as f64) as usize).min(n - 1)
    }

    fn number(&mut self) -> f64 {
        let sign = if self.below(2) == 0 { -1.0 } else { 1.0 };
        let u = self.chance.unit();
        match self.below(14) {
            0 => f64::NAN,
            1 => sign * f64::INFINITY,
            2 => sign * 0.0,
            3 => sign * f64::MAX,
            4 => sign * 5e-324,
            5 => sign * 1e300 * u,
            6 => sign * 1e-300 * u,
            7 => 1.0,
            8 => 1e9 + 1e-6 * u,
            _ => sign * 10.0 * u,
        }
    }

    fn text(&mut self) -> String {
        match self.below(20) {
            0 => "long ".repeat(5000),
            1 => "W".repeat(20_000),
            _ => WORDS[self.below(WORDS.len())].to_owned(),
        }
    }

    fn count(&mut self) -> usize {
        match self.below(10) {
            0 => 0,
            1 => 1,
            2 => 3000,
            _ => self.below(30),
        }
    }

    fn points<const K: usize>(&mut self) -> Vec<[f64; K]> {
        let tame = self.below(3) > 0;
        let count = self.count();
        (0..count)
            .map(|_| [(); K].map(|()| if tame { 10.0 * self.chance.unit() - 3.0 } else { self.number() }))
            .collect()
    }

    fn field(&mut self) -> Field {
        let (columns, rows) = (self.below(40), self.below(40));
        let tame = self.below(3) > 0;
        let values = (0..columns * rows).map(|_| if tame { self.chance.unit() - 0.5 } else { self.number() }).collect();
        let field = match self.below(3) {
            0 => Field::matrix(columns, values),
            1 => Field::new((self.number(), self.number()), (self.number(), self.number()), columns, values),
            _ => Field::new((-1.0, 2.0), (0.0, 1e-3), columns, values),
        };
        let levels = (0..self.below(5)).map(|_| if tame { self.chance.unit() - 0.5 } else { self.number() }).collect();
        let range = (self.below(4) == 0).then(|| (self.number(), self.number()));
        let colours = if self.below(2) == 0 { ColourMap::Diverging } else { ColourMap::Sequential };
        Field { range, ..field.labelled(self.text()).with_levels(levels).in_colours(colours) }
    }

    fn mark(&mut self) -> Mark {
        match self.below(13) {
            0 => Mark::Points(self.points()),
            1 => Mark::Rings(self.points()),
            2 => Mark::Sized(self.points()),
            3 | 4 => Mark::Line(self.points()),
            5 => Mark::Step(self.points()),
            6 => Mark::Band(self.points()),
            7 => Mark::Curves((0..self.below(5)).map(|_| self.points()).collect()),
            8 => Mark::Vertical(self.number()),
            9 => Mark::Horizontal(self.number()),
            10 => Mark::Diagonal,
            11 => Mark::Field(self.field()),
            _ => {
                let (columns, rows) = (self.below(90), self.below(90));
                let shade: Vec<f64> = (0..columns * rows).map(|_| self.number()).collect();
                let texts = if self.below(3) == 0 { shade.iter().map(f64::to_string).collect() } else { Vec::new() };
                Mark::Cells { columns, shade, texts }
            }
        }
    }

    fn axis(&mut self) -> Axis {
        let scale = match self.below(5) {
            0 => Scale::Log,
            1 => Scale::Names((0..self.count().min(200)).map(|_| self.text()).collect()),
            _ => Scale::Linear,
        };
        let range = (self.below(8) == 0).then(|| (self.number(), self.number()));
        Axis { label: self.text(), scale, range, reversed: self.below(4) == 0 }
    }

    fn series(&mut self) -> Series {
        let name = (self.below(2) == 0).then(|| self.text());
        let form = (self.below(3) == 0).then(|| Form::ALL[self.below(7)]);
        let colour = (self.below(3) == 0).then(|| Ink::Palette(self.below(100)));
        Series { name, form, colour, ..Series::new(self.mark()) }
    }

    fn panel(&mut self, most: usize) -> Panel {
        let series = (0..self.below(most)).map(|_| self.series()).collect();
        let (square, equal) = (self.below(3) == 0, self.below(3) == 0);
        let panel = Panel::new(self.text(), self.axis(), self.axis()).subtitled(self.text());
        Panel { series, square, equal, ..panel }
    }

    fn figure(&mut self) -> Figure {
        let panels: Vec<Panel> = (0..1 + self.below(3)).map(|_| self.panel(7)).collect();
        let (columns, theme) = (1 + self.below(3), if self.below(2) == 0 { Theme::Dark } else { Theme::Light });
        let figure = Figure::grid(panels, columns).titled(self.text()).themed(theme);
        match self.below(4) {
            0 => figure.sized(200.0 + 900.0 * self.chance.unit(), 170.0 + 900.0 * self.chance.unit()),
            _ => figure,
        }
    }
}

fn attack(seed: u64, rounds: usize) -> (usize, usize) {
    let (mut drawn, mut refused) = (0, 0);
    for round in 0..rounds {
        let mut maker = Maker { chance: Chance::new(seed + round as u64) };
        let figure = maker.figure();
        match figure.svg() {
            Ok(svg) => {
                let accepted = std::panic::catch_unwind(|| judge(&svg)).is_ok();
                assert!(accepted, "seed {seed}, round {round}: {figure:?}");
                assert_eq!(svg, figure.svg().expect("the same"), "seed {seed}, round {round}");
                if round % 16 == 0 {
                    assert_eq!(figure.png().expect("a picture"), figure.png().expect("a picture"));
                }
                drawn += 1;
            }
            Err(error) => {
                assert!(!error.to_string().is_empty());
                refused += 1;
            }
        }
    }
    (drawn, refused)
}

#[test]
fn figures_by_chance_are_drawn_or_refused() {
    let (drawn, refused) = attack(1, 300);
    assert!(drawn > 100 && refused > 20, "{drawn} drawn, {refused} refused");
}

#[test]
#[ignore = "as long as MERCER_ROUNDS says"]
fn figures_are_attacked_for_long() {
    let rounds = std::env::var("MERCER_ROUNDS").ok().and_then(|v| v.parse().ok()).unwrap_or(2000);
    attack(1_000_000, rounds);
}

#[test]
fn thousands_of_series_are_drawn() {
    let one =
        |i: usize| Series::new(Mark::Line(vec![[0.0, i as f64], [1.0, (i % 7) as f64]])).named(format!("series {i}"));
    let panel = (0..3000).map(one).fold(Panel::new("many", Axis::linear("x"), Axis::linear("y")), Panel::with);
    let svg = Figure::of(panel).svg().expect("a picture");
    judge(&svg);
    assert!(svg.contains(" more<"), "the legend says how many it leaves out");
}
