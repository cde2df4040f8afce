//! What tests of sequence kernels share: points, and definitions with all words enumerated.

use crate::data::{Column, Inputs, Table, Texts};
use crate::gram::dense;
use crate::kernel::KernelExpr;
use crate::run::Run;
use crate::testkit::points::Chance;
use crate::testkit::{laws, tol};

/// Sequences with what may go wrong: empty, short, unknown letters, lower case, repeats, U, a letter at the end.
pub(crate) fn dna() -> Vec<String> {
    let mut sequences: Vec<String> = [
        "",
        "A",
        "ACG",
        "acgu",
        "NNNN",
        "ACGNACGTTN",
        "AAAAAAAAAA",
        "GATTACAGATTACA",
        "GATTACAGATTACA",
        "TGTAATCTGTAATC",
    ]
    .map(String::from)
    .to_vec();
    let mut chance = Chance::new(4);
    sequences.extend((0..6).map(|i| random(&mut chance, b"ACGTacgtN", 5 + 9 * i)));
    sequences
}

pub(crate) fn inputs(sequences: &[String]) -> Inputs {
    let column = Column::from(Texts::from_values(sequences.iter().map(Some)));
    Table::new(vec![("sequence".into(), column)]).expect("one column").into()
}

/// Holds a kernel to every law on these sequences.
pub(crate) fn laws_on(formula: &str, sequences: &[String], definition: impl Fn(&str, &str) -> f64, tolerance: f64) {
    laws::kernel(formula, &inputs(sequences), |i, j| definition(&sequences[i], &sequences[j]), tolerance);
}

pub(crate) fn random(chance: &mut Chance, letters: &[u8], len: usize) -> String {
    (0..len).map(|_| char::from(letters[chance.below(letters.len())])).collect()
}

/// Kernels by their features, one for each word of the alphabet.
#[derive(Clone, Copy)]
pub(crate) struct Naive {
    pub(crate) letters: &'static [u8],
    pub(crate) length: usize,
    pub(crate) both: bool,
}

impl Naive {
    /// Σ over all words u of φₓ(u)·φ_y(u), φ(u) = Σ near(u, a) over the windows a; both strands: half of that of both.
    pub(crate) fn kernel(&self, x: &str, y: &str, near: impl Fn(&[u8], &[u8]) -> f64) -> f64 {
        let (x, y) = (self.windows(x), self.windows(y));
        let words = (0..self.letters.len().pow(self.length as u32)).map(|mut number| {
            let mut word = Vec::new();
            for _ in 0..self.length {
                word.push(self.letters[number % self.letters.len()]);
                number /= self.letters.len();
            }
            word
        });
        let feature = |windows: &[Vec<u8>], u: &[u8]| windows.iter().map(|a| near(u, a)).sum::<f64>();
        let sum: f64 = words.map(|u| feature(&x, &u) * feature(&y, &u)).sum();
        if self.both { sum / 2.0 } else { sum }
    }

    /// The windows of known letters, of both strands if they count.
    pub(crate) fn windows(&self, x: &str) -> Vec<Vec<u8>> {
        let mut upper = x.to_ascii_uppercase().into_bytes();
        if self.letters == b"ACGT" {
            upper.iter_mut().filter(|l| **l == b'U').for_each(|l| *l = b'T');
        }
        let known = |w: &&[u8]| w.iter().all(|l| self.letters.contains(l));
        let mut windows: Vec<Vec<u8>> = upper.windows(self.length).filter(known).map(<[u8]>::to_vec).collect();
        if self.both {
            let partner = |l: &u8| b"TGCA"[b"ACGT".iter().position(|m| m == l).expect("known")];
            let turned: Vec<Vec<u8>> = windows.iter().map(|w| w.iter().rev().map(partner).collect()).collect();
            windows.extend(turned);
        }
        windows
    }
}

type Definition = Box<dyn Fn(&str, &str) -> f64>;

/// Compares random kernels with their definitions on random sequences. `kernel` is given the settings all kernels have, two
/// numbers with the second at most the first, the letters and whether both strands count.
pub(crate) fn attack(
    rounds: usize,
    seed: u64,
    kernel: impl Fn(&str, (usize, usize), &'static [u8], bool) -> (String, Definition, f64),
) {
    let mut chance = Chance::new(seed);
    for _ in 0..rounds {
        let dna = chance.below(4) > 0;
        let (letters, drawn, most): (&'static [u8], &[u8], usize) = match dna {
            true => (b"ACGT", b"ACGTACGTacgtuN", 4),
            false => (b"ACDEFGHIKLMNPQRSTVWY", b"ACDEFGHIKLMNPQRSTVWYacX", 2),
        };
        let length = 1 + chance.below(most);
        let second = chance.below(length + 1);
        let both = dna && chance.below(2) == 0;
        let settings = match (dna, both) {
            (true, true) => ", reverse_complement=yes",
            (true, false) => "",
            _ => ", alphabet=protein",
        };
        let (formula, definition, tolerance) = kernel(settings, (length, second), letters, both);
        let sequences: Vec<String> = (0..5)
            .map(|_| {
                let len = chance.below(30);
                random(&mut chance, drawn, len)
            })
            .collect();
        let expr = KernelExpr::parse(&formula).unwrap_or_else(|e| panic!("{formula}: {e}"));
        let bound = expr.bind(&inputs(&sequences), &Run::new()).unwrap_or_else(|e| panic!("{formula}: {e}"));
        let gram = dense::<f64>(&bound, &Run::new()).unwrap_or_else(|e| panic!("{e}")).into_values();
        let largest = gram.iter().fold(f64::MIN_POSITIVE, |a, v| a.max(v.abs()));
        for (at, got) in gram.iter().enumerate() {
            let (x, y) = (&sequences[at / 5], &sequences[at % 5]);
            let expected = definition(x, y);
            assert!((got - expected).abs() <= tolerance * largest, "{formula}: `{x}`, `{y}`: {got} for {expected}");
        }
    }
}

/// What a kernel says of two texts, which it must say of them in the other order as well, and what it should say.
pub(crate) struct Said {
    pub(crate) of: String,
    pub(crate) value: f64,
    pub(crate) turned: f64,
    pub(crate) expected: f64,
}

/// Compares what kernels and texts that are drawn say with what is spelt out.
pub(crate) fn as_spelt_out(rounds: usize, seed: u64, draw: impl Fn(&mut Chance) -> Vec<Said>) {
    let mut chance = Chance::new(seed);
    for _ in 0..rounds {
        for Said { of, value, turned, expected } in draw(&mut chance) {
            assert!((value - expected).abs() <= tol::round(400) * expected, "{of}: {value}, not {expected}");
            assert_eq!(value, turned, "{of}");
        }
    }
}

/// How many rounds a long attack takes: `MERCER_ROUNDS`, or the usual number.
pub(crate) fn long_rounds(usual: usize) -> usize {
    std::env::var("MERCER_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(usual)
}

/// A seed that is another one each time.
pub(crate) fn any_seed() -> u64 {
    u64::from(std::process::id())
}
