//! Gram matrices, their spectra and what they see of points.

use crate::data::{Inputs, Target, load};
use crate::error::Result;
use crate::kernel::KernelExpr;
use crate::model::cluster::KernelKMeans;
use crate::model::reduce::KernelPca;
use crate::plot::{Axis, Figure, Panel, effective_dimension, eigenvalues, gram_heat, projection};
use crate::report::SpectrumReport;
use crate::rkhs::{Space, Spectrum};
use crate::run::Run;

use super::{Exhibit, columns, words};

/// The first digits, and which digit each is.
fn digits(count: usize) -> Result<(Inputs, Vec<usize>)> {
    let some: Vec<usize> = (0..count).collect();
    let inputs = load("digits")?.take(&some).inputs;
    let digits = words("digits")?.into_iter().take(count).map(|word| word.parse().unwrap_or(0)).collect();
    Ok((inputs, digits))
}

pub(super) fn heat_maps(run: &Run) -> Result<Exhibit> {
    let (x, groups) = digits(500)?;
    let space = Space::new(&KernelExpr::parse("rbf(length_scale=25)")?, &x, run)?;
    let gram = space.gram(&x, run)?;
    let plain = gram_heat(&gram, None, "In the order of the file", run)?;
    let ordered = gram_heat(&gram, Some(&groups), "By digit, from 0 to 9", run)?;
    let means = KernelKMeans { kernel: space.kernel().clone(), clusters: 10, ..KernelKMeans::default() };
    let model = means.fit(&x, Target::None, None, run)?.model;
    let clusters = model.largest(&model.predict(&x, run)?);
    let clustered = gram_heat(&gram, Some(&clusters), "By cluster of kernel k-means", run)?;
    Ok(Exhibit {
        name: "gram",
        title: "A Gram matrix, as it comes and by groups",
        formula: "Kᵢⱼ = k(xᵢ, xⱼ) = exp(−‖xᵢ − xⱼ‖²/(2·25²))",
        caption: "500 handwritten digits. In the order of the classes the blocks show what the kernel holds for similar: zeros are \
                  like each other and unlike the rest, ones and fours come in several kinds. The clusters were found without the \
                  classes."
            .into(),
        made_by: "digits = mercer.load(\"digits\").take(range(500))\n\
                  mercer.plot.gram(\"rbf(length_scale=25)\", digits, groups=digits.target)"
            .into(),
        figure: Figure::grid(vec![plain, ordered, clustered], 3).titled("500 digits, rbf(length_scale=25)"),
    })
}

pub(super) fn spectra(run: &Run) -> Result<Exhibit> {
    let x = load("iris")?.inputs;
    let panels = |formula: &str| -> Result<Vec<Panel>> {
        let space = Space::new(&KernelExpr::parse(formula)?, &x, run)?;
        let report = SpectrumReport::new(&Spectrum::of(&space.gram(&x, run)?, run)?)?;
        let eigenvalues = Panel { title: format!("Eigenvalues of K/n, {formula}"), ..eigenvalues(&report) };
        Ok([eigenvalues].into_iter().chain(effective_dimension(&report)).collect())
    };
    let all = [panels("rbf(length_scale=1)")?, panels("laplace(length_scale=1)")?].concat();
    Ok(Exhibit {
        name: "spectra",
        title: "Spectra, their decay, and the effective dimension",
        formula: "λ̂ = eig(K)/n, and Σ λ̂/(λ̂ + λ) directions that a penalty λ leaves free",
        caption: "Eigenvalues of the smooth Gaussian fall faster than those of the rough Laplace kernel, so the same penalty \
                  leaves it fewer directions."
            .into(),
        made_by: "mercer gram iris --kernel 'laplace(length_scale=1)' --spectrum --plot spectrum.svg".into(),
        figure: Figure::grid(all, 2).sized(1040.0, 900.0).titled("150 irises"),
    })
}

pub(super) fn projections(run: &Run) -> Result<Exhibit> {
    let names = ["sepal_length_cm", "sepal_width_cm", "petal_length_cm", "petal_width_cm"];
    let (x, species) = (Inputs::from(columns("iris", &names)?), words("iris")?);
    let panel = |formula: &str| -> Result<Panel> {
        let pca = KernelPca { kernel: KernelExpr::parse(formula)?, components: 2, ..KernelPca::default() };
        let coordinates = pca.fit(&x, Target::None, None, run)?.model.predict(&x, run)?;
        let points: Vec<[f64; 2]> = coordinates.chunks(2).map(|row| [row[0], row[1]]).collect();
        let axes = [Axis::linear("component 1"), Axis::linear("component 2")];
        projection(formula, axes, &points, &species)
    };
    Ok(Exhibit {
        name: "projections",
        title: "Kernel principal components, with labels",
        formula: "⟨φ(x) − φ̄, v⟩, where v = Σ uᵢ(φ(xᵢ) − φ̄)/√λ, K̃u = λu and ‖u‖ = 1",
        caption: "Irises by their first two components. The linear kernel is plain principal component analysis; the Gaussian one \
                  pulls the three species into arms. Labels have a colour and a form."
            .into(),
        made_by: "iris = mercer.load(\"iris\")\n\
                  pca = mercer.KernelPCA(\"rbf(length_scale=1)\", n_components=2).fit(iris.data)\n\
                  mercer.plot.projection(pca.transform(iris.data), iris.target, names=(\"component 1\", \"component 2\"))"
            .into(),
        figure: Figure::grid(vec![panel("linear")?, panel("rbf(length_scale=1)")?], 2),
    })
}
