//! Model files that nobody should write: refused with their line, never a panic, never more memory than there are bytes.

use mercer::chance::Chance;

use super::{cases, file, read};

const SMALL: &str = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\nnr_sv 1 1\n\
                     SV\n1 1:0.5 3:2 \n-1 2:1 \n";

fn told(text: &str) -> String {
    read(text.as_bytes()).expect_err(text).to_string()
}

/// Every change to the small file, and what is said of it.
#[test]
fn errors_say_what_and_where() {
    read(SMALL.as_bytes()).expect("valid");
    for (from, to, said) in [
        ("c_svc", "c_svm", "line 1: `c_svm` is no svm_type; they are `c_svc`, `nu_svc`"),
        ("svm_type", "svm_typ", "line 1: `svm_typ` is no word of a model file; the nearest word is `svm_type`"),
        ("svm_type c_svc\n", "", "a.model: the line `svm_type` is missing before `SV`"),
        ("rbf", "gauss", "line 2: `gauss` is no kernel_type"),
        ("gamma 0.5\n", "", "the line `gamma` is missing before `SV`"),
        ("gamma 0.5", "gamma 1e999", "line 3: `gamma` holds inf"),
        ("gamma 0.5", "gamma half", "line 3: `half` after `gamma` is no number"),
        ("gamma 0.5", "gamma 0.5 1", "line 3: `gamma` has 2 values, expected 1"),
        ("gamma 0.5", "gamma -0.5", "`gamma` of a support vector machine must be a finite number ≥ 0, got -0.5"),
        ("gamma 0.5", "gamma 0.5\ngamma 0.6", "line 4: a second `gamma`, after that of line 3"),
        ("nr_class 2", "nr_class 1", "line 4: `nr_class` is 1, expected 2 or more"),
        ("nr_class 2", "nr_class 1000000000", "line 7: `label` has 2 values, expected 1000000000"),
        ("nr_class 2", "nr_class 99999999999999999999", "line 4: `99999999999999999999` after `nr_class`"),
        ("nr_class 2", "nr_class 3", "line 7: `label` has 2 values, expected 3"),
        ("total_sv 2", "total_sv 1000000000000000000", "`nr_sv` adds up to 2, `total_sv` is 1000000000000000000"),
        ("total_sv 2", "total_sv -2", "line 5: `-2` after `total_sv`"),
        ("nr_sv 1 1", "nr_sv 1 2", "line 8: `nr_sv` adds up to 3, `total_sv` is 2"),
        ("nr_sv 1 1", "nr_sv 18446744073709551615 18446744073709551615", "line 8: `nr_sv` adds up to 3689348814741"),
        ("rho 0.25", "rho", "line 6: `rho` has 0 values, expected 1"),
        ("rho 0.25", "rho nan", "line 6: `rho` holds NaN"),
        (
            "label 1 -1",
            "label 1 1",
            "`labels` of a support vector machine must be different from each other, got 1 twice",
        ),
        ("label 1 -1", "label 1 -1\nprobA 1", "must be both there or both absent"),
        ("label 1 -1", "label 1 -1\nprob_density_marks 0 1 2 3 4 5 6 7 8 9", "`prob_density_marks`"),
        ("SV\n1 1:0.5 3:2 \n-1 2:1 \n", "", "line 8: the file ends before the line `SV`"),
        ("-1 2:1 \n", "", "line 5: `total_sv` is 2, and the file has 1 support vectors"),
        ("-1 2:1 \n", "-1 2:1 \n1 1:1 \n", "line 5: `total_sv` is 2, and the file has 3 support vectors"),
        ("-1 2:1 \n", "-1 2:1", "line 11: the file ends within a line"),
        ("-1 2:1", "2:1", "line 11: expected a finite coefficient, got `2:1`"),
        ("-1 2:1", "inf 2:1", "line 11: expected a finite coefficient, got `inf`"),
        ("2:1", "2:1e400", "line 11: `2:1e400` is not finite"),
        ("2:1", "0:1", "line 11: index 0 in `0:1`"),
        ("2:1", "2:1 2:1", "line 11: index 2 in `2:1` after index 2"),
        ("2:1", "9223372036854775808:1", "index 9223372036854775808 in `9223372036854775808:1` is above the limit"),
        ("2:1", "99999999999999999999999:1", "line 11: expected `index:value`"),
        ("2:1", "2", "line 11: expected `index:value`, got `2`"),
    ] {
        assert!(SMALL.contains(from), "{from}");
        let message = told(&SMALL.replacen(from, to, 1));
        assert!(message.contains(said), "{message}\nexpected {said}");
    }
}

#[test]
fn precomputed_and_regression_have_their_own_rules() {
    let precomputed = SMALL.replace("rbf\ngamma 0.5", "precomputed").replace("1:0.5 3:2", "0:7").replace("2:1", "0:2");
    read(precomputed.as_bytes()).expect("valid");
    for (to, said) in [
        ("0:0", "line 10: expected `0:` and a serial number, got `0:0`"),
        ("0:99999999999", "got `0:99999999999`"),
        ("0:4294967295", "got `0:4294967295`"),
        ("1:7", "got `1:7`"),
        ("", "got the end of the line"),
        ("0:2 1:5", "`1:5` after the serial number"),
    ] {
        let message = told(&precomputed.replace("0:2", to));
        assert!(message.contains(said), "{message}\nexpected {said}");
    }
    let regression = SMALL.replace("c_svc", "nu_svr").replace("label 1 -1\nnr_sv 1 1\n", "");
    read(regression.as_bytes()).expect("valid");
    assert!(told(&regression.replace("nr_class 2", "nr_class 3")).contains("`nr_class` is 3, expected 2"));
    assert!(
        told(&regression.replace("SV\n", "nr_sv 1 1\nSV\n")).contains("`nr_sv` has no meaning for this `svm_type`")
    );
    assert!(told(&regression.replace("SV\n", "probB 1\nSV\n")).contains("`prob_b`"));
}

#[test]
fn what_is_no_model_says_so() {
    assert_eq!(told(""), "a.model, line 1: the file ends before the line `SV`");
    assert!(told("1 1:0.5\n").contains("`1` is no word of a model file"));
    assert!(read(b"svm_type \xff\n").expect_err("no text").to_string().contains("line 1: the text is not UTF-8"));
    let error = read(b"solver_type L2R_LR\nnr_class 2\n").expect_err("another program's");
    assert_eq!(error.hint().as_deref(), Some("a model file of LIBSVM begins with `svm_type`"));
}

/// One change by chance: a cut, other bytes, a line twice or gone or elsewhere, a number that is too large.
fn mutate(bytes: &mut Vec<u8>, chance: &mut Chance) {
    const NUMBERS: [&str; 8] =
        ["1000000000000000000", "4294967296", "-1", "nan", "inf", "1e999", "9223372036854775808", "0"];
    let at = chance.below(bytes.len() + 1);
    match chance.below(6) {
        0 => bytes.truncate(at),
        1 if at < bytes.len() => bytes[at] = chance.below(256) as u8,
        2 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
        3 => {
            let mut lines: Vec<&[u8]> = bytes.split_inclusive(|b| *b == b'\n').collect();
            if lines.is_empty() {
                return;
            }
            let line = lines.remove(chance.below(lines.len()));
            (0..chance.below(3)).for_each(|_| lines.insert(chance.below(lines.len() + 1), line));
            *bytes = lines.concat();
        }
        4 => {
            let mut tokens: Vec<&[u8]> = bytes.split(|b| *b == b' ').collect();
            let place = chance.below(tokens.len());
            tokens[place] = NUMBERS[chance.below(NUMBERS.len())].as_bytes();
            *bytes = tokens.join(&b' ');
        }
        _ => drop(bytes.splice(at..at, NUMBERS[chance.below(NUMBERS.len())].bytes())),
    }
}

#[test]
fn mutated_files_are_read_or_refused() {
    let mut chance = Chance::new(37);
    let files: Vec<Vec<u8>> = cases().iter().map(|case| file(&case.name)).chain([SMALL.into()]).collect();
    let (mut read_again, rounds) = (0, 20_000);
    for _ in 0..rounds {
        let mut bytes = files[chance.below(files.len())].clone();
        (0..=chance.below(3)).for_each(|_| mutate(&mut bytes, &mut chance));
        let Ok(machine) = read(&bytes) else { continue };
        machine.validate().expect("what is read is valid");
        // A number that is too large for LIBSVM or for single precision is refused there.
        let _ = mercer::interchange::libsvm::write(&machine);
        let _ = mercer::interchange::onnx::write(&machine, None);
        read_again += 1;
    }
    assert!(read_again > rounds / 50 && read_again < rounds / 2, "{read_again} of {rounds} were read");
}
