//! Tests: two samples, what sets them apart, and the dependence of two columns.

use crate::data::Inputs;
use crate::error::{Error, Result};
use crate::kernel::KernelExpr;
use crate::model::compare::{Compared, Hsic, Mmd, Variable};
use crate::plot::{Axis, Figure, Ink, Mark, Panel, Series, null_panel};
use crate::run::Run;

use super::{Exhibit, columns, rows};

/// The year that the Aswan dam was begun in, less the first year of the record.
const FIRST: usize = 28;
/// Where the witness function is evaluated.
const STEPS: usize = 200;

/// A panel of a test that has draws.
fn drawn(panel: Option<Panel>) -> Result<Panel> {
    panel.ok_or_else(|| Error::shape("a null distribution", "draws that differ", "none"))
}

pub(super) fn two_samples(run: &Run) -> Result<Exhibit> {
    let volumes = columns("nile", &["volume"])?;
    let (early, late) = volumes.values().split_at(FIRST);
    let compared = Mmd::default().test(&rows(early, 1)?, &rows(late, 1)?, run)?;
    let panels = vec![drawn(null_panel(&compared.result))?, witness(&compared, [early, late], run)?];
    Ok(Exhibit {
        name: "two-samples",
        title: "Two samples, and where they differ",
        formula: "MMD² = ‖μ_X − μ_Y‖², and the witness function f(t) = mean k(t, xᵢ) − mean k(t, yⱼ)",
        caption: "The flow of the Nile in 1871 to 1898 and in 1899 to 1970. Of 999 permutations of the years none has a statistic \
                  as large as that of the data. The witness function is positive where the first sample is denser: most \
                  years before 1899 have more than 1,000, most others less."
            .into(),
        made_by: "mercer compare nile-1871-1898.csv nile-1899-1970.csv --plot two-samples.svg".into(),
        figure: Figure::grid(panels, 2).sized(1260.0, 460.0).titled("The Nile before and after 1899"),
    })
}

/// The witness function along the line, with the rows of both samples on it.
fn witness(compared: &Compared, samples: [&[f64]; 2], run: &Run) -> Result<Panel> {
    let all = || samples.iter().flat_map(|s| s.iter().copied());
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    let at: Vec<f64> = (0..=STEPS).map(|i| low + (high - low) * i as f64 / STEPS as f64).collect();
    let along = |at: &[f64]| -> Result<Vec<[f64; 2]>> {
        let values = compared.witness.evaluate(&rows(at, 1)?, run)?;
        Ok(at.iter().zip(values).map(|(t, f)| [*t, f]).collect())
    };
    let line = Series::new(Mark::Line(along(&at)?)).named("f").coloured(Ink::Palette(2));
    let mut panel = Panel::new("Witness function", Axis::linear("volume"), Axis::linear("f(t)"))
        .subtitled("of the kernel that shows most; above 0 the first sample is denser")
        .with(line);
    for (k, (sample, name)) in samples.into_iter().zip(["1871 to 1898", "1899 to 1970"]).enumerate() {
        panel = panel.with(Series::new(Mark::Points(along(sample)?)).named(name).coloured(Ink::Palette(k)));
    }
    Ok(panel)
}

pub(super) fn dependence(run: &Run) -> Result<Exhibit> {
    let kernel = KernelExpr::parse("rbf")?;
    let test = |x: &str, y: &str| -> Result<Vec<Panel>> {
        let (a, b) = (columns("diabetes", &[x])?, columns("diabetes", &[y])?);
        let points = a.values().iter().zip(b.values()).map(|(x, y)| [*x, *y]).collect();
        let (a, b): (Inputs, Inputs) = (a.into(), b.into());
        let found = Hsic::default().test(Variable::new(&a, &kernel), Variable::new(&b, &kernel), run)?;
        let seen = Panel::new(format!("{x} and {y}"), Axis::linear(x), Axis::linear(y))
            .with(Series::new(Mark::Points(points)));
        Ok(vec![seen, drawn(null_panel(&found))?])
    };
    Ok(Exhibit {
        name: "dependence",
        title: "Do two columns depend on each other?",
        formula: "HSIC = ‖E[φ(x)⊗ψ(y)] − E φ(x)⊗E ψ(y)‖², 0 for independent columns",
        caption: "442 patients. Body mass and blood pressure go together, and no permutation reaches the statistic of the data. \
                  Of the sex and the cholesterol the statistic stands among those of permutations."
            .into(),
        made_by: "mercer depend diabetes --x bmi --y bp --plot dependence.svg".into(),
        figure: Figure::grid([test("bmi", "bp")?, test("sex", "s1")?].concat(), 2).sized(1040.0, 900.0).titled("Patients with diabetes"),
    })
}
