//! The examples and notes at the end of each help page, and the help that catalogues give. Every example runs as it
//! stands.

use mercer::loss::{Against, LossSpec};
use mercer::model::catalogue;

use crate::config::{Purpose, purpose};

/// Of `--loss`.
pub fn loss() -> String {
    let of = |against: Against| LossSpec::ALL.iter().filter(move |spec| spec.against == against);
    let names = |specs: &mut dyn Iterator<Item = &LossSpec>| specs.map(|s| s.name).collect::<Vec<_>>().join(", ");
    let numbers = names(&mut of(Against::Numbers));
    let classes = names(&mut of(Against::Signs).chain(of(Against::Numbers)).filter(|spec| spec.classifies));
    format!("The loss of regressor ({numbers}), classifier ({classes}) or sgd")
}

/// Of `--loss-parameter`.
pub fn loss_parameter() -> String {
    let with = || LossSpec::ALL.iter().filter_map(|spec| spec.parameter.map(|p| (spec.name, p)));
    let names: Vec<String> = with().map(|(loss, p)| format!("{} of {loss}", p.name)).collect();
    let defaults: Vec<String> = with().map(|(_, p)| p.default.to_string()).collect();
    let (names, defaults) = (names.join(", "), defaults.join(", "));
    format!("The parameter of the loss: {names} [default: {defaults}; in units of the standardised target]")
}

/// What `--model` may be, from the catalogue of learners.
pub fn models() -> String {
    let all = catalogue::all();
    let fitted = all.iter().map(|l| l.spec()).filter(|spec| purpose(spec) == Purpose::Fit);
    let list: Vec<String> = fitted.map(|spec| format!("{} ({})", spec.name, spec.summary)).collect();
    format!(
        "The model: auto (ridge for numbers, logistic or lssvm for classes), {}; `mercer embed` and `mercer cluster` have others",
        list.join(", ")
    )
}

/// Of `mercer` itself.
pub const ROOT: &str = "\
Examples:
  mercer data                                 list the data sets that come with Mercer
  mercer data penguins                        describe one of them; a file works the same way
  mercer kernel --list                        list the kernels
  mercer kernel 'rbf + hamming' penguins --missing drop
                                              explain a formula, with parameters found in the data
  mercer check 'min(x,y)/max(x,y)' --domain R+
                                              is it a kernel? a proof or a counterexample
  mercer gram wine --standardize              compute a kernel matrix and judge it
  mercer gram wine --standardize -o K.npy     export it

Results go to standard output, everything else to standard error.
Exit codes: 0 done, 1 the answer is no, or warning under --strict, 2 wrong input, 3 numerical
failure, 4 defect of Mercer, 5 not decided, or stopped by the deadline, 130 interrupted.";

/// Of `mercer tune`.
pub const TUNE: &str = "\
Examples:
  mercer tune iris --grid C=0.1,1,10,100 --grid length_scale=0.5,1,2
                                              a support vector machine, twelve candidates, five folds
  mercer tune wine --target alcohol --model svr --grid C=0.1..100:4 --grid epsilon=0.05,0.2
  mercer tune penguins --missing drop --grid C=0.1..1000:5 --grid length_scale=0.3..3:4 --halving --journal search.jsonl
                                              may be stopped and started again: the journal keeps what was judged

Candidates of one kernel share kernel rows, and each starts from the solution of the one before.";

/// Of `mercer fit`.
pub const FIT: &str = "\
Examples:
  mercer fit penguins --missing drop          classify a shipped data set
  mercer fit penguins --missing drop --target body_mass_g -o mass.mercer
                                              predict a number
  mercer fit wine -k 'matern52 + 0.1*linear' --cv 3 --plot wine.svg
                                              your own kernel, three folds, a picture
  mercer fit sales.csv --target revenue --time-ordered
  mercer fit trial.csv --target outcome --groups patient
  mercer fit wine --target alcohol --quantiles 0.1,0.5,0.9 --hold-out 0.2
                                              three quantiles, each a column
  mercer fit penguins --missing drop --target body_mass_g --model gp --hold-out 0.2
                                              a Gaussian process, with its own tuning
  mercer fit penguins --missing drop --report penguins.html
                                              all of it on one page

Every choice is reported. The error is estimated on rows that chose nothing: kernel, parameters and
scales are found again without them. A deadline or Ctrl-C saves the best model so far: exit code 5.

A model replaces a model of the same name, a picture a picture that Mercer drew. Any other file that
is there already takes `--force`; a file that is read is never replaced.";

/// Of `mercer predict`.
pub const PREDICT: &str = "\
Examples:
  mercer predict mass.mercer new.csv          one line of CSV a row
  mercer predict mass.mercer new.csv --interval 0.9 -o predictions.csv
  mercer predict mass.mercer new.csv --out predictions.parquet --plot predictions.svg

Bounds of a ridge are jackknife+ intervals. Those of a Gaussian process are its mean ± z·√(posterior
variance + noise). Classes have probabilities instead, where the model gives them.

A file that is there already is replaced only with `--force`, one that is read never.";

/// Of `mercer score`.
pub const SCORE: &str = "\
Examples:
  mercer score mass.mercer test.csv           how far predictions are from the target of these rows
  mercer score species.mercer test.csv --plot species.svg
  mercer score mass.mercer test.csv --weights count --json

Rows whose target is missing are left out. A class that training had not counts as a mistake. ± is one
standard error over the rows; beside it stands the error that the fit expected.";

/// Of `mercer cluster`.
pub const CLUSTER: &str = "\
Examples:
  mercer cluster iris --clusters 3            sizes, inertia and certificate
  mercer cluster wine --clusters 3 --kernel 'rbf(length_scale=3)' -o -
                                              the cluster of every row as CSV
  mercer cluster iris --clusters 3 --model spectral --json

The inertia is the sum of squared distances to the means of the clusters, in feature space. Clusters
are numbered by their first rows, from 0. A file that is there already is replaced only with `--force`.";

/// Of `mercer segment`.
pub const SEGMENT: &str = "\
Examples:
  mercer segment nile --time year             changes of the river, each with a p-value
  mercer segment nile --time year --changes 2 --plot nile.svg
  mercer segment log.csv --columns text --kernel 'spectrum(text)' --penalty 3 --json

Changes are first rows of new segments; rows count from 0. Without `--changes` and `--penalty`,
their number is found in the data, and no change is a possible answer. A p-value holds if the rows
of the segment that a change cuts could have come in any order; later changes are conditional on
earlier ones. A file that is there already is replaced only with `--force`.";

/// Of `mercer embed`.
pub const EMBED: &str = "\
Examples:
  mercer embed digits                         two coordinates a row, as CSV
  mercer embed iris --plot iris.svg           and a picture of them
  mercer embed digits --components 5 --kernel 'rbf(length_scale=5)' -o digits.csv --save digits.mercer
  mercer embed penguins --missing drop --scores
                                              and how far each row is from the components

Components are those of the points in feature space, centred. The row that is farthest along one has a
positive coordinate. Those that do not vary are left out.

`mercer predict` gives coordinates of new rows with a saved model, `mercer verify` holds it to its claims.";

/// Of `mercer compare`.
pub const COMPARE: &str = "\
Examples:
  mercer compare before.csv after.csv         p-value, and the rows that make the difference
  mercer compare a.csv b.csv --kernel 'rbf(length_scale=2)' --permutations 9999 --plot ab.svg
  mercer compare a.csv b.csv --level 0.05     exit code 1 where they differ at 5 %
  mercer compare a.csv b.csv --lag 20         two series whose dependence fades within 20 rows

The p-value counts the permutations of all rows whose MMD² reaches that of the data, ties included; it is
never 0. Below its resolution a fitted formula is shown, named as such. Numeric columns are brought to one
scale, by both samples together.

The witness function is large where the first sample is denser, and small where the second is.

Exit code 5: a deadline stopped the permutations early; p is that of those before it.";

/// Of `mercer depend`.
pub const DEPEND: &str = "\
Examples:
  mercer depend wine --x alcohol --y color_intensity
                                              HSIC with 999 permutations, each variable its own kernel
  mercer depend penguins --x island --y bill_length_mm,bill_depth_mm --missing drop --plot null.svg
  mercer depend wine --x alcohol --y color_intensity --given proline
                                              KCI: what is left of it where proline is known

A small p speaks against independence. Permutations are exact for rows that may be exchanged; for time
series choose `--null circular_shift` or `--null wild_bootstrap`. KCI is for large samples.

A file that is there already is replaced only with `--force`.";

/// Of `mercer explain`.
pub const EXPLAIN: &str = "\
Examples:
  mercer explain mass.mercer new.csv          what made the first predictions
  mercer explain mass.mercer new.csv --rows 0,7,10-12 --top 3
  mercer explain mass.mercer new.csv --global --plot columns.svg
                                              and how predictions go with the columns in general

What the columns add leads from the mean prediction over training rows to the prediction of the row, in
units of the target, or of probability for classes that have them: effects and mean add up to the
prediction. Beside it stands what a small change does: for a number the slope by central differences,
for a category what changes if it were the most frequent one, for text if it were empty. Training points
are those most like the row to the kernel. `--json` also has the prediction as the sum that it is:
αᵢ·k(x, xᵢ) over the training points that the model keeps, plus the intercept.";

/// Of `mercer verify`.
pub const VERIFY: &str = "\
Examples:
  mercer verify mass.mercer penguins          the data that the model was fitted to

The residual of the model's system, its objective and dual bound are computed again from the file
and the data, prepared as in the fit. Exit code 1 if these are not the training data, or if the
model does not keep what it claims: a relative residual of at most ten times the claimed one, or
16·n·2⁻⁵² if that is more; objectives that agree to the same share of the objective of f = 0, to
1e-9 of it at least, or to rounding. Of a Gaussian process the log evidence is computed again as well; of a stochastic descent, which solves
nothing, the mean loss on the training rows and the norm. Weights are read from the column of the fit.";

/// Of `mercer export`.
pub const EXPORT: &str = "\
Examples:
  mercer fit iris --model svc --kernel rbf --no-tune --no-standardize
  mercer export iris.mercer -o iris.onnx      for programs that only predict, in single precision
  mercer export iris.mercer -o iris.model     for LIBSVM, every digit kept

Other programs know the kernels linear, poly, rbf and sigmoid on all columns, and take rows as they
are: fit with `--no-standardize`. The scale of a target goes into the numbers of the file. Classes
that are no whole numbers are numbered for LIBSVM. A file that is there already is replaced only
with `--force`, one that is read never.";

/// Of `mercer import`.
pub const IMPORT: &str = "\
Examples:
  mercer import svm.model -o svm.mercer       a file that svm-train wrote
  mercer predict svm.mercer new.libsvm
  mercer import svm.model --columns 13        where the last columns are 0 in every support vector

Rows to be predicted are sparse, or dense with as many columns; those of a CSV file are called x0,
x1, …, as with `--no-header`. The file says nothing of C, nu and epsilon, so that `mercer verify` has
nothing to hold the model to. Probabilities are kept where they are ½ at the border of two classes.";

/// Of `mercer data`.
pub const DATA: &str = "\
Examples:
  mercer data                                 the shipped data sets
  mercer data penguins                        types, missing values and scales of one of them
  mercer data heart_scale                     sparse rows: size and density
  mercer data penguins --type year=category   read a column as another type
  mercer data penguins --json                 the same for programs
  mercer data measurements.csv                your own file; .gz is fine
  cat measurements.csv | mercer data -        standard input";

/// Of `mercer kernel`.
pub const KERNEL: &str = "\
Examples:
  mercer kernel --list                        every kernel, with its parameters
  mercer kernel 'rbf(gamma=0.5)'              what a formula means
  mercer kernel '2*rbf(age) * delta(sex) + linear'
                                              kernels are added, multiplied and scaled
  mercer kernel 'rbf(length_scale=2!)'        `!` keeps a parameter fixed
  mercer kernel 'rbf(length_scale=2 in [0.1, 10])'
                                              bounds for tuning
  mercer kernel rbf wine --standardize        the length scale that the rule finds in the data
  mercer kernel 'normalize(ngram(n=4))' splice";

/// Of `mercer check`.
pub const CHECK: &str = "\
Examples:
  mercer check '(linear + 1)^3 * rbf'         a formula, proved step by step
  mercer check 'min(x,y)/max(x,y)' --domain R+
                                              an expression in x and y on the positive numbers
  mercer check 'gcd(x,y)/lcm(x,y)' --domain N
  mercer check 'rbf^0.5' --data wine --standardize
                                              with an audit of its matrix on data
  mercer check 'max(x,y)' --domain R+         refuted by two points: exit code 1
  mercer check 'rbf - linear'                 formulas are refuted at points on a curve
  mercer check --gram K.npy                   is this matrix a Gram matrix?

A refutation is verified in exact or interval arithmetic, so it is never rounding.
Exit codes: 0 positive definite, 1 refuted, 5 not decided.";

/// Of `mercer gram`.
pub const GRAM: &str = "\
Examples:
  mercer gram iris                            a kernel that fits the columns, and a report
  mercer gram penguins --missing drop         leave out rows with missing values
  mercer gram wine --standardize -k 'matern52 + 0.1*linear'
                                              your own formula
  mercer gram digits -k 'rbf(length_scale=20)' -o digits.npy --f32
                                              export for NumPy, in single precision
  mercer gram iris -o - | head -3             the matrix as CSV on standard output
  mercer gram splice -k 'normalize(ngram(n=3))' --stats -o K.parquet
                                              export and report
  mercer gram wine --standardize --spectrum   eigenvalues, how fast they fall, effective dimension
  mercer gram wine --standardize --spectrum --plot wine.svg
                                              and a picture of both
  mercer gram train.csv --target y --against test.csv -o cross.npy
                                              cross matrix: a row for each row of train.csv

Rules such as `length_scale=median` look at DATA only. A matrix larger than the memory limit is
computed in parts. Files are written whole or not at all; one that is there already is replaced only
with `--force`, one that is read never.";

/// Of `mercer study`.
pub const STUDY: &str = "\
Examples:
  mercer study gd-sgd                         descent on the unit square: steps, starts, rows a step";

/// Of `mercer study gd-sgd`.
pub const STUDY_GD_SGD: &str = "\
Examples:
  mercer study gd-sgd --n 60 --out study.svg  a smaller one, drawn
  mercer study gd-sgd --seed 3 --json         other points, for programs

Points are uniform on [0, 1]², the target is a smooth function with noise, the kernel is
Gaussian. A descent has converged when its root mean squared residual is at most 1.1 times the
noise. With μ₁ the largest eigenvalue of K/n, a step below 1/μ₁ does not overshoot, and one
above 2/μ₁ diverges. All but the times repeat exactly.";

/// Of `mercer gallery`.
pub const GALLERY: &str = "\
Examples:
  mercer gallery pictures                     an SVG and a PNG of each, and pictures/index.html

The page holds all pictures and needs no network; it is light or dark as your system is. A folder
that holds files is refused without `--force`.";

/// Of `mercer completions`.
pub const COMPLETIONS: &str = "\
Examples:
  source <(mercer completions bash)           this shell only
  mercer completions bash > ~/.local/share/bash-completion/completions/mercer
  mercer completions zsh > ~/.zfunc/_mercer   with ~/.zfunc in your fpath
  mercer completions fish > ~/.config/fish/completions/mercer.fish";
