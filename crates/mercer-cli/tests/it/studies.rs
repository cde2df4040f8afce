//! `mercer study`: tables, pictures, JSON.

use serde_json::Value;

use super::{Folder, json};

#[test]
fn the_study_is_printed_and_drawn() {
    let folder = Folder::fresh();
    let done = folder.run(&["study", "gd-sgd", "--n", "50", "--out", "study.svg"]);
    assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    for words in ["50 points on [0, 1]²", "2/μ₁", "1.999", "by chance", "one row a step", "drawn to study.svg"] {
        assert!(done.out.contains(words), "`{words}` is missing:\n{}", done.out);
    }
    let svg = std::fs::read_to_string(folder.path("study.svg")).expect("the picture");
    for words in ["Influence of the step", "Iterations to convergence", "Influence of the start", "10 rows a step"] {
        assert!(svg.contains(words), "{words}");
    }
    let bad = folder.run(&["study", "gd-sgd", "--n", "1"]);
    assert!(bad.code == 2 && bad.err.contains("at least 2"), "{}", bad.err);
    assert_eq!(folder.run(&["study", "gd-sgd", "--out", "study.pdf"]).code, 2);
    assert_eq!(folder.run(&["study", "gd-sgd", "--n", "400", "--deadline", "1ms"]).code, 5);
}

#[test]
fn all_but_the_times_repeat() {
    let [mut one, mut two] = [(); 2].map(|()| json(&["study", "gd-sgd", "--n", "40", "--seed", "5", "--json"]));
    for study in [&mut one, &mut two] {
        for list in ["by_step", "methods"] {
            study[list].as_array_mut().expect("a list").iter_mut().for_each(|row| row["seconds"] = Value::Null);
        }
    }
    assert_eq!(one, two);
    assert_eq!(one["methods"].as_array().map(Vec::len), Some(4));
}
