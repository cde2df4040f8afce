//! The windows of a sequence, laid out so that distances of many pairs are counted at once.

use std::collections::BTreeMap;

use super::{Strands, Windows};

/// Windows that are compared with a word at a time: as many as a vector of AVX2 has bits.
const BLOCK: usize = 256;
/// A bit for each window of a block.
type Mask = [u64; BLOCK / 64];

/// The longest word that 64 bits hold.
const MOST_LETTERS: usize = 32;

const NONE: Mask = [0; BLOCK / 64];

/// The windows of a sequence in bit planes: for each place and letter, which windows of a block have *another* letter there.
///
/// The distances of one word to a block are then a sum of L one-bit numbers in each of 256 lanes, done with whole vectors
/// ("carry save": three bits of one weight are a bit of that weight and one of the next). How many lanes hold each distance
/// is a count of bits. That is about one instruction for each pair of windows, and counts are exact: a kernel value is the
/// same in any order, and symmetric to the bit.
///
/// A window that occurs several times stands in one block for each binary digit of its count.
#[derive(Clone, Debug)]
pub struct Words {
    windows: Windows,
    /// Different windows, in order, and how often they occur.
    counted: Vec<(u64, u64)>,
    blocks: Vec<Block>,
    /// For each number of a letter, its row in the planes; letters that do not occur share the last one.
    rows: Vec<u8>,
    /// Rows of a place.
    width: usize,
    /// Of each block, each place and each row.
    planes: Vec<Mask>,
    /// What other sequences are asked about: the windows, and those of the other strand if it counts.
    queries: Vec<(u64, Vec<u64>)>,
}

/// Windows that occur as often, up to one binary digit.
#[derive(Clone, Copy, Debug)]
struct Block {
    weight: u64,
    /// Windows in it.
    len: usize,
}

impl Words {
    /// Lays out the windows of a sequence.
    pub fn new(windows: Windows, sequence: &str) -> Self {
        let counted = counted(windows.of(sequence));
        let levels = levels(counted.iter().copied());
        let queries = match windows.strands() {
            Strands::One => levels.clone(),
            Strands::Both => {
                let turned = counted.iter().filter_map(|(w, c)| Some((windows.reverse_complement(*w)?, *c)));
                self::levels(counted.iter().copied().chain(turned))
            }
        };
        let mut words =
            Words { windows, counted, blocks: Vec::new(), rows: Vec::new(), width: 0, planes: Vec::new(), queries };
        words.number_letters();
        for (weight, level) in &levels {
            level.chunks(BLOCK).for_each(|block| words.push(*weight, block));
        }
        words
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        let queries: usize = self.queries.iter().map(|(_, words)| size_of_val(words.as_slice())).sum();
        let own = size_of_val(&self.counted[..]) + size_of_val(&self.blocks[..]) + size_of_val(&self.planes[..]);
        own + self.rows.len() + queries
    }

    /// Different windows as they stand, in order, and how often each occurs.
    pub fn counted(&self) -> &[(u64, u64)] {
        &self.counted
    }

    /// Windows with a count each, of both strands where both count; one may come several times.
    pub fn strands(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.queries.iter().flat_map(|(weight, words)| words.iter().map(|word| (*word, *weight)))
    }

    /// Gives each letter that occurs a row.
    fn number_letters(&mut self) {
        let letters = self.windows.alphabet().letters();
        let mut occurs = vec![false; letters];
        for (word, _) in &self.counted {
            self.windows.letters(*word).for_each(|code| occurs[usize::from(code)] = true);
        }
        let present = occurs.iter().filter(|o| **o).count();
        // All 256 letters may occur, and then none needs the row of those that do not.
        let mut next = 0u8;
        for occurs in occurs {
            self.rows.push(if occurs { next } else { present as u8 });
            next = next.wrapping_add(u8::from(occurs));
        }
        self.width = present + usize::from(present < letters);
    }

    fn push(&mut self, weight: u64, block: &[u64]) {
        let full = mask_of(block.len());
        let start = self.planes.len();
        self.planes.resize(start + self.windows.length() * self.width, full);
        for (lane, word) in block.iter().enumerate() {
            for (p, code) in self.windows.letters(*word).enumerate() {
                let row = usize::from(self.rows[usize::from(code)]);
                self.planes[start + p * self.width + row][lane / 64] &= !(1 << (lane % 64));
            }
        }
        self.blocks.push(Block { weight, len: block.len() });
    }

    /// How many pairs of a window of `x` and one of `y` differ in 0, 1, … places, each strand of `x` against `y`. Distances
    /// from `out.len()` on are left out.
    pub fn distances(x: &Words, y: &Words, out: &mut [u64]) {
        out.fill(0);
        if out.is_empty() {
            return;
        }
        match x.windows.length() {
            0..16 => count::<4>(x, y, out),
            _ => count::<6>(x, y, out),
        }
    }

    /// Where the letters of words stand in the planes of a block, word by word.
    fn places(&self, words: &[u64], out: &mut Vec<u32>) {
        out.clear();
        for word in words {
            let letters = self.windows.letters(*word).enumerate();
            out.extend(letters.map(|(p, code)| (p * self.width) as u32 + u32::from(self.rows[usize::from(code)])));
        }
    }

    fn block_planes(&self, block: usize) -> &[Mask] {
        let size = self.windows.length() * self.width;
        &self.planes[block * size..(block + 1) * size]
    }
}

/// Sorted different windows with their counts.
fn counted(mut windows: Vec<u64>) -> Vec<(u64, u64)> {
    windows.sort_unstable();
    let mut counted: Vec<(u64, u64)> = Vec::new();
    for word in windows {
        match counted.last_mut() {
            Some((last, count)) if *last == word => *count += 1,
            _ => counted.push((word, 1)),
        }
    }
    counted
}

/// The windows whose count has a binary digit, for each digit that occurs.
fn levels(counted: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, Vec<u64>)> {
    let mut levels: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for (word, count) in counted {
        for digit in (0..u64::BITS).filter(|digit| count >> digit & 1 == 1) {
            levels.entry(digit).or_default().push(word);
        }
    }
    levels.into_iter().map(|(digit, words)| (1 << digit, words)).collect()
}

/// The first `len` bits.
fn mask_of(len: usize) -> Mask {
    std::array::from_fn(|i| match len.saturating_sub(64 * i) {
        0 => 0,
        rest if rest >= 64 => u64::MAX,
        rest => (1 << rest) - 1,
    })
}

#[inline(always)]
fn and(a: Mask, b: Mask) -> Mask {
    std::array::from_fn(|i| a[i] & b[i])
}

#[inline(always)]
fn and_not(a: Mask, b: Mask) -> Mask {
    std::array::from_fn(|i| a[i] & !b[i])
}

#[inline(always)]
fn xor(a: Mask, b: Mask) -> Mask {
    std::array::from_fn(|i| a[i] ^ b[i])
}

/// a + b + c = sum + 2·carry in every lane.
#[inline(always)]
fn add(a: Mask, b: Mask, c: Mask) -> (Mask, Mask) {
    let ab = xor(a, b);
    let carry = std::array::from_fn(|i| (a[i] & b[i]) | (ab[i] & c[i]));
    (xor(ab, c), carry)
}

/// The distance of a word to each window of a block, in P binary digits.
#[inline(always)]
fn distance_digits<const P: usize>(places: &[u32], planes: &[Mask]) -> [Mask; P] {
    let mut digits = [NONE; P];
    let mut fours = places.chunks_exact(4);
    for four in &mut fours {
        let plane = |p: usize| planes[four[p] as usize];
        let (sum, first) = add(digits[0], plane(0), plane(1));
        let (sum, second) = add(sum, plane(2), plane(3));
        let (twos, carry) = add(digits[1], first, second);
        (digits[0], digits[1]) = (sum, twos);
        ripple(&mut digits, 2, carry);
    }
    for place in fours.remainder() {
        ripple(&mut digits, 0, planes[*place as usize]);
    }
    digits
}

/// Adds a bit of weight 2^from.
#[inline(always)]
fn ripple<const P: usize>(digits: &mut [Mask; P], from: usize, mut carry: Mask) {
    for digit in &mut digits[from..] {
        (*digit, carry) = (xor(*digit, carry), and(*digit, carry));
    }
}

/// Adds up how many pairs have each distance.
fn count<const P: usize>(x: &Words, y: &Words, out: &mut [u64]) {
    let values = out.len().min(x.windows.length() + 1);
    let mut queries = Vec::new();
    for (weight, words) in &x.queries {
        y.places(words, &mut queries);
        for (at, block) in y.blocks.iter().enumerate() {
            let mut sums = [0; MOST_LETTERS + 1];
            add_distances::<P>(&queries, x.windows.length(), y.block_planes(at), &mut sums[..values]);
            // Lanes without a window hold the distance 0.
            sums[0] -= (BLOCK - block.len) as u64 * words.len() as u64;
            out.iter_mut().zip(sums).for_each(|(out, pairs)| *out += weight * block.weight * pairs);
        }
    }
}

/// For each word, given by its places in the planes, adds the number of lanes at each distance to `sums`.
fn add_distances<const P: usize>(queries: &[u32], length: usize, planes: &[Mask], sums: &mut [u64]) {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has just been found to have these instructions.
        return unsafe { avx2::add_distances::<P>(queries, length, planes, sums) };
    }
    portable::<P>(queries, length, planes, sums);
}

fn portable<const P: usize>(queries: &[u32], length: usize, planes: &[Mask], sums: &mut [u64]) {
    for places in queries.chunks_exact(length) {
        let digits = distance_digits::<P>(places, planes);
        for (value, sum) in sums.iter_mut().enumerate() {
            let mut lanes = [u64::MAX; BLOCK / 64];
            for (p, digit) in digits.iter().enumerate() {
                lanes = if value >> p & 1 == 1 { and(lanes, *digit) } else { and_not(lanes, *digit) };
            }
            *sum += lanes.iter().map(|l| u64::from(l.count_ones())).sum::<u64>();
        }
    }
}

/// The same with vectors of 256 bits.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi8, _mm256_and_si256, _mm256_andnot_si256, _mm256_loadu_si256, _mm256_or_si256,
        _mm256_sad_epu8, _mm256_set1_epi8, _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8,
        _mm256_srli_epi16, _mm256_storeu_si256, _mm256_xor_si256,
    };

    use super::{MOST_LETTERS, Mask};

    /// Words after which counts of bits, at most eight a word, are taken out of their bytes.
    const WORDS: usize = 31;

    #[target_feature(enable = "avx2")]
    pub(super) fn add_distances<const P: usize>(queries: &[u32], length: usize, planes: &[Mask], sums: &mut [u64]) {
        let zero = _mm256_setzero_si256();
        for words in queries.chunks(WORDS * length) {
            let mut bytes = [zero; MOST_LETTERS + 1];
            for places in words.chunks_exact(length) {
                let digits = digits::<P>(places, planes);
                let (low, high) = parts::<P>(&digits);
                for (value, bytes) in bytes.iter_mut().take(sums.len()).enumerate() {
                    let lanes = _mm256_and_si256(low[value & 3], high[value >> 2 & 15]);
                    *bytes = _mm256_add_epi8(*bytes, bits(lanes));
                }
            }
            for (sum, bytes) in sums.iter_mut().zip(bytes) {
                *sum += total(bytes);
            }
        }
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn load(mask: &Mask) -> __m256i {
        // SAFETY: a mask has the 32 bytes that are read.
        unsafe { _mm256_loadu_si256(mask.as_ptr().cast()) }
    }

    /// a + b + c = sum + 2·carry.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn add(a: __m256i, b: __m256i, c: __m256i) -> (__m256i, __m256i) {
        let ab = _mm256_xor_si256(a, b);
        let carry = _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(ab, c));
        (_mm256_xor_si256(ab, c), carry)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn ripple<const P: usize>(digits: &mut [__m256i; P], from: usize, mut carry: __m256i) {
        for digit in &mut digits[from..] {
            (*digit, carry) = (_mm256_xor_si256(*digit, carry), _mm256_and_si256(*digit, carry));
        }
    }

    /// The distance of a word to each lane, in P binary digits.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn digits<const P: usize>(places: &[u32], planes: &[Mask]) -> [__m256i; P] {
        let mut digits = [_mm256_setzero_si256(); P];
        let fours = places.chunks_exact(4);
        let rest = fours.remainder();
        for four in fours {
            let [a, b, c, d] = [0, 1, 2, 3].map(|p| &planes[four[p] as usize]);
            let (sum, first) = add(digits[0], load(a), load(b));
            let (sum, second) = add(sum, load(c), load(d));
            let (twos, carry) = add(digits[1], first, second);
            (digits[0], digits[1]) = (sum, twos);
            ripple(&mut digits, 2, carry);
        }
        for place in rest {
            ripple(&mut digits, 0, load(&planes[*place as usize]));
        }
        digits
    }

    /// The lanes with each value of the two lowest digits, and of the others.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn parts<const P: usize>(digits: &[__m256i; P]) -> ([__m256i; 4], [__m256i; 16]) {
        let ones = _mm256_set1_epi8(-1);
        let mut low = [ones; 4];
        let mut high = [ones; 16];
        for (value, lanes) in low.iter_mut().enumerate() {
            *lanes = pick(pick(ones, digits[0], value & 1), digits[1], value >> 1);
        }
        for (value, lanes) in high.iter_mut().enumerate().take(1 << (P - 2)) {
            for (p, digit) in digits[2..].iter().enumerate() {
                *lanes = pick(*lanes, *digit, value >> p & 1);
            }
        }
        (low, high)
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn pick(lanes: __m256i, digit: __m256i, bit: usize) -> __m256i {
        if bit == 1 { _mm256_and_si256(lanes, digit) } else { _mm256_andnot_si256(digit, lanes) }
    }

    /// How many bits of each byte are set, by halves of the byte.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn bits(lanes: __m256i) -> __m256i {
        let counts = _mm256_setr_epi8(
            0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
        );
        let half = _mm256_set1_epi8(15);
        let low = _mm256_shuffle_epi8(counts, _mm256_and_si256(lanes, half));
        let high = _mm256_shuffle_epi8(counts, _mm256_and_si256(_mm256_srli_epi16::<4>(lanes), half));
        _mm256_add_epi8(low, high)
    }

    /// The sum of all bytes.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn total(bytes: __m256i) -> u64 {
        let sums = _mm256_sad_epu8(bytes, _mm256_setzero_si256());
        let mut four = [0u64; 4];
        // SAFETY: the array has the 32 bytes that are written.
        unsafe { _mm256_storeu_si256(four.as_mut_ptr().cast(), sums) };
        four.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::sequence::Alphabet;
    use crate::testkit::points::Chance;

    /// Letters one after the other, both strands by turning the text.
    fn naive(x: &str, y: &str, length: usize, both: bool, letter: impl Fn(u8) -> Option<u8>) -> Vec<u64> {
        let mut counts = vec![0; length + 1];
        let turned: String = x
            .chars()
            .rev()
            .map(|c| {
                ['T', 'G', 'C', 'A', 'N']
                    [[Some(0), Some(1), Some(2), Some(3), None].iter().position(|n| *n == letter(c as u8)).unwrap_or(4)]
            })
            .collect();
        for x in if both { vec![x, &turned] } else { vec![x] } {
            for a in x.as_bytes().windows(length) {
                for b in y.as_bytes().windows(length) {
                    if a.iter().chain(b).all(|l| letter(*l).is_some()) {
                        counts[a.iter().zip(b).filter(|(a, b)| letter(**a) != letter(**b)).count()] += 1;
                    }
                }
            }
        }
        counts
    }

    fn random(chance: &mut Chance, letters: &str, longest: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..chance.below(longest)).map(|_| letters[chance.below(letters.len())]).collect()
    }

    fn attack(rounds: usize, seed: u64) {
        let mut chance = Chance::new(seed);
        for _ in 0..rounds {
            let (alphabet, letters) = [
                (Alphabet::Dna, "ACGTacgtuUN"),
                (Alphabet::Dna, "ACGT"),
                (Alphabet::Dna, "AC"),
                (Alphabet::Protein, "ACDEFGHIKLMNPQRSTVWYacdX*"),
                (Alphabet::Bytes, "abc"),
                (Alphabet::Bytes, "the quick brown fox, größe"),
            ][chance.below(6)];
            let length = 1 + chance.below(alphabet.longest_word());
            let strands = if alphabet == Alphabet::Dna && chance.below(2) == 0 { Strands::Both } else { Strands::One };
            let windows = Windows::new(alphabet, length, strands).expect("fits");
            let longest = [12, 60, 700][chance.below(3)];
            let [x, y] = [0, 1].map(|_| random(&mut chance, letters, longest));
            let mut counts = vec![0; length + 1];
            Words::distances(&Words::new(windows, &x), &Words::new(windows, &y), &mut counts);
            let expected = naive(&x, &y, length, strands == Strands::Both, |l| alphabet.code(l));
            assert_eq!(counts, expected, "{windows:?}: `{x}`, `{y}`");
            let mut first = vec![0; 1 + chance.below(length + 1)];
            Words::distances(&Words::new(windows, &y), &Words::new(windows, &x), &mut first);
            assert_eq!(first, expected[..first.len()], "{windows:?}: `{y}`, `{x}`");
        }
    }

    #[test]
    fn distances_are_those_of_every_pair() {
        attack(60, 11);
    }

    #[test]
    #[ignore = "minutes"]
    fn distances_attacked_for_long() {
        let rounds = std::env::var("MERCER_ROUNDS").ok().and_then(|r| r.parse().ok()).unwrap_or(2000);
        attack(rounds, 12);
    }

    #[test]
    fn every_processor_counts_the_same() {
        let mut chance = Chance::new(13);
        let planes: Vec<Mask> =
            (0..80).map(|_| std::array::from_fn(|_| (chance.unit() * u64::MAX as f64) as u64)).collect();
        for length in [1, 3, 4, 10, 15, 16, 20, 32] {
            let queries: Vec<u32> = (0..70 * length).map(|_| chance.below(80) as u32).collect();
            let [mut a, mut b] = [[0; MOST_LETTERS + 1]; 2];
            let count = if length < 16 { add_distances::<4> } else { add_distances::<6> };
            let plain = if length < 16 { portable::<4> } else { portable::<6> };
            count(&queries, length, &planes, &mut a[..=length]);
            plain(&queries, length, &planes, &mut b[..=length]);
            assert_eq!(a, b, "{length} letters");
        }
    }

    #[test]
    fn windows_that_repeat_are_counted_once() {
        let windows = Windows::new(Alphabet::Dna, 10, Strands::One).expect("fits");
        let long = Words::new(windows, &"A".repeat(1_000_009));
        assert_eq!(long.counted(), [(0, 1_000_000)]);
        let mut counts = [0; 11];
        Words::distances(&long, &long, &mut counts);
        assert_eq!(counts[0], 1_000_000_000_000);
        assert!(counts[1..].iter().all(|c| *c == 0));
    }
}
