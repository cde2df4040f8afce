"""Accuracy on sequences, text and mixed tables, with published protocols.

    python benchmarks/sequences.py DATA [--sets promoters splice sms nfe2 adult diamonds]

DATA is a folder with `strings/` and the tables of `tables.py`. Nothing here is used to choose anything: kernels and C are those of the protocol that a row
names. Prints a row for each set.

- promoters: 106 sequences of E. coli, errors of leave-one-out, C = 1 (KBANN had 4 of 106);
- splice: 3,190 junctions, stratified ten-fold cross-validation with seed 0;
- sms: 5,574 messages, stratified five-fold, beside tf-idf of words with a linear machine;
- nfe2: lsgkm's peaks, its five folds by our own draw, area under the curve (its paper's tool has .9853);
- adult, diamonds: one formula over all columns, gaps and all, tuned by `mercer.fit`, beside one-hot columns in an rbf machine with a grid for C and
  gamma, on the same 4,000 training rows.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, LeaveOneOut, StratifiedKFold, cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC as Peer
from sklearn.svm import SVR as PeerSVR
from sklearn.svm import LinearSVC
from tables import read

import mercer
from mercer.svm import SVC

DEGREE = "normalize(weighted_degree(sequence, degree=5))"


def strings(folder: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(folder / "strings" / name, keep_default_na=False)


def promoters(folder: Path) -> None:
    rows = strings(folder, "promoter_ecoli_106x57.csv")
    rows["sequence"] = rows["sequence"].str.upper()
    found = cross_val_predict(SVC(kernel=DEGREE, C=1.0), rows[["sequence"]], rows["label"], cv=LeaveOneOut())
    print(f"promoters   {DEGREE}: {(found != rows['label']).sum()} errors of {len(rows)} left out")


def splice(folder: Path) -> None:
    rows = strings(folder, "splice_junction_3190x60.csv.gz")
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    for c in (1.0, 10.0):
        found = cross_val_predict(SVC(kernel=DEGREE.replace("5", "10"), C=c), rows[["sequence"]], rows["label"], cv=folds)
        print(f"splice      {DEGREE.replace('5', '10')}, C = {c:g}: {(found == rows['label']).mean():.4f}")


def sms(folder: Path) -> None:
    rows = strings(folder, "sms_spam.csv.gz")
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    kernels = {
        "words": "normalize(ngram(text, n=1, unit=word))",
        "letters": "normalize(ngram(text, n=3)) + normalize(ngram(text, n=5))",
    }
    for name, kernel in kernels.items():
        found = cross_val_predict(SVC(kernel=kernel, C=10.0), rows[["text"]], rows["label"], cv=folds)
        print(f"sms         {name} `{kernel}`, C = 10: {(found == rows['label']).mean():.4f}")
    peer = make_pipeline(TfidfVectorizer(), LinearSVC())
    found = cross_val_predict(peer, rows["text"], rows["label"], cv=folds)
    print(f"sms         tf-idf of words, LinearSVC: {(found == rows['label']).mean():.4f}")


def nfe2(folder: Path) -> None:
    place = folder / "strings" / "lsgkm_nfe2"
    parts = [(path, mercer.read_fasta(path)) for path in sorted(place.glob("*.tr.fa"))]
    sequences = [s for _, data in parts for s in data.data["sequence"]]
    labels = np.concatenate([np.full(len(data), ".neg." not in path.name) for path, data in parts])
    kernel = "normalize(gapped_kmer(sequence, l=10, k=6, filter=truncated, reverse_complement=yes))"
    frame, start = pd.DataFrame({"sequence": sequences}), time.perf_counter()
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    scores = cross_val_predict(SVC(kernel=kernel, C=1.0), frame, labels, cv=folds, method="decision_function")
    print(f"nfe2        {kernel}: AUC {roc_auc_score(labels, scores):.4f} in {time.perf_counter() - start:.0f} s")


def mixed(folder: Path, name: str, rows: int = 4_000) -> None:
    """A formula that reads every column, gaps and all, beside one-hot columns in an rbf machine with a grid."""
    table, test = read(folder, name, gaps=True)
    train, rest = train_test_split(table, train_size=rows, random_state=0)
    test = rest.iloc[:8_000] if test is None else test
    x, y, classes = train.drop(columns="y"), train["y"], name == "adult"
    words = [c for c in x if not pd.api.types.is_numeric_dtype(x[c])]
    numbers = [c for c in x if c not in words]
    judged = lambda found: (found == test["y"]).mean() if classes else np.sqrt(((found - test["y"]) ** 2).mean())  # noqa: E731
    start = time.perf_counter()
    kernel = "1*rbf*normalize(exp(2*hamming)) + 0.1*linear + 0.1*hamming"
    fit = mercer.fit(train, target="y", kernel=kernel, missing="impute", estimate=False)
    said = "accuracy" if classes else "RMSE"
    found = np.asarray(fit.predict(test.drop(columns="y")))
    print(f"{name:11} `{kernel}`, tuned: {said} {judged(found):.4f} in {time.perf_counter() - start:.0f} s")
    gaps = SimpleImputer(strategy="constant", fill_value="none")
    columns = make_column_transformer(
        (StandardScaler(), numbers), (make_pipeline(gaps, OneHotEncoder(handle_unknown="ignore")), words)
    )
    unit = 1.0 if classes else y.std()
    peer = make_pipeline(columns, (Peer if classes else PeerSVR)())
    last = peer.steps[-1][0]
    grid = {f"{last}__C": [0.3, 1, 3, 10, 100], f"{last}__gamma": [0.01, 0.03, 0.1, 0.3]}
    start = time.perf_counter()
    search = GridSearchCV(peer, grid, cv=3, n_jobs=2).fit(x, y if classes else y / unit)
    found = search.predict(test.drop(columns="y"))
    found = found if classes else found * unit
    print(f"{name:11} one-hot, rbf machine, {search.best_params_}: {said} {judged(found):.4f} in {time.perf_counter() - start:.0f} s")


SETS = {
    "promoters": promoters,
    "splice": splice,
    "sms": sms,
    "nfe2": nfe2,
    "adult": lambda folder: mixed(folder, "adult"),
    "diamonds": lambda folder: mixed(folder, "diamonds"),
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", nargs="+", default=list(SETS), choices=list(SETS))
    asked = parser.parse_args()
    for name in asked.sets:
        SETS[name](asked.data)
