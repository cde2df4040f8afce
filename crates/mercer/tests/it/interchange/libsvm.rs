//! Model files of LIBSVM, there and back.

use mercer::interchange::{MachineKind, StandardKernel, SupportMachine, SupportVectors, libsvm};

use super::{cases, file, hard, read};

/// Everything in a machine, numbers by their bits.
fn bits(machine: &SupportMachine) -> String {
    let of = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let parameters = match machine.kernel {
        StandardKernel::Linear | StandardKernel::Precomputed => Vec::new(),
        StandardKernel::Rbf { gamma } => of(&[gamma]),
        StandardKernel::Polynomial { degree, gamma, coef0 } => of(&[degree.into(), gamma, coef0]),
        StandardKernel::Sigmoid { gamma, coef0 } => of(&[gamma, coef0]),
    };
    let vectors = match &machine.vectors {
        SupportVectors::Rows(rows) => format!("{rows:?}"),
        SupportVectors::Points(points) => {
            let rows = (0..points.nrows()).map(|i| (points.row(i).0, of(points.row(i).1)));
            format!("{:?} of {}", rows.collect::<Vec<_>>(), points.ncols())
        }
    };
    let coefficients: Vec<_> = machine.coefficients.iter().map(|row| of(row)).collect();
    let optional = [&machine.prob_a, &machine.prob_b, &machine.prob_density_marks].map(|v| v.as_deref().map(of));
    format!(
        "{:?} {:?} {parameters:?} {vectors} {coefficients:?} {:?} {:?} {:?} {optional:?}",
        machine.kind,
        std::mem::discriminant(&machine.kernel),
        of(&machine.offsets),
        machine.labels,
        machine.vectors_per_class,
    )
}

fn round_trip(machine: &SupportMachine) -> String {
    let text = libsvm::write(machine).expect("written");
    let again = read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(bits(&again), bits(machine), "{text}");
    assert_eq!(libsvm::write(&again).expect("written"), text);
    text
}

/// What LIBSVM wrote and what is written of it again are the same words and the same numbers.
#[test]
fn files_of_libsvm_are_read_and_written_again() {
    for case in cases() {
        let bytes = file(&case.name);
        let text = round_trip(&read(&bytes).expect("read"));
        let (theirs, ours) = (std::str::from_utf8(&bytes).expect("text").lines(), text.lines());
        assert_eq!(theirs.clone().count(), ours.clone().count(), "{}", case.name);
        for (theirs, ours) in theirs.zip(ours) {
            let parts = |line: &str| -> Vec<String> {
                let tokens = line.split([' ', ':']).map(|t| t.parse::<f64>().map_or(t.to_owned(), |v| v.to_string()));
                tokens.collect()
            };
            assert_eq!(parts(theirs), parts(ours), "{}", case.name);
        }
    }
}

#[test]
fn hard_numbers_come_back_to_the_bit() {
    round_trip(&hard());
    let SupportVectors::Points(points) = hard().vectors else { unreachable!("points") };
    for (kind, kernel) in [
        (MachineKind::EpsilonSvr, StandardKernel::Linear),
        (MachineKind::NuSvr, StandardKernel::Sigmoid { gamma: 1e-320, coef0: -1e300 }),
        (MachineKind::OneClass, StandardKernel::Rbf { gamma: 0.0 }),
    ] {
        let machine = SupportMachine {
            kind,
            kernel,
            vectors: SupportVectors::Points(points.clone()),
            coefficients: hard().coefficients[..1].to_vec(),
            offsets: vec![5e-324],
            labels: Vec::new(),
            vectors_per_class: Vec::new(),
            prob_a: (kind == MachineKind::NuSvr).then(|| vec![0.1]),
            prob_b: None,
            prob_density_marks: (kind == MachineKind::OneClass).then(|| super::HARD[..10].to_vec()),
        };
        round_trip(&machine);
    }
}

#[test]
fn a_precomputed_kernel_keeps_its_rows() {
    let machine = read(&file("c_svc_precomputed")).expect("read");
    let SupportVectors::Rows(rows) = &machine.vectors else { panic!("rows") };
    assert_eq!(rows[..3], [0, 4, 10]);
    assert_eq!(machine.columns(), None);
    assert!(round_trip(&machine).contains("\nSV\n1 0:1 \n"));
}

#[test]
fn columns_that_no_vector_needs_can_be_added() {
    let machine = hard().with_columns(9).expect("wider");
    let again = read(libsvm::write(&machine).expect("written").as_bytes()).expect("read");
    assert_eq!(again.columns(), Some(5));
    assert_eq!(bits(&again.with_columns(9).expect("wider")), bits(&machine));
}

#[test]
fn what_libsvm_cannot_hold_is_refused() {
    let told = |change: &dyn Fn(&mut SupportMachine)| {
        let mut machine = hard();
        change(&mut machine);
        libsvm::write(&machine).expect_err("refused").to_string()
    };
    let label = told(&|m| m.labels[0] = 1 << 31);
    assert_eq!(label, "`labels` of a model file of LIBSVM must be at most 2147483647, got 2147483648");
    assert!(told(&|m| m.labels[0] = i64::MIN).contains("`labels`"));
    let degree = 1 << 31;
    assert!(told(&|m| m.kernel = StandardKernel::Polynomial { degree, gamma: 1.0, coef0: 0.0 }).contains("`degree`"));
    assert!(told(&|m| m.offsets[0] = f64::NAN).contains("`offsets`"));
}
