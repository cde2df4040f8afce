"""Digits of USPS with Gaussian noise, projected on components and taken back: mean squared errors, as in Mika et al. (1998).

python benchmarks/denoise.py DATA    # the folder that holds images/usps_train… and images/usps_test…; prints a table
"""

import gzip
import sys
from pathlib import Path

import numpy as np

import mercer

SIGMA = 0.5
TRAIN, TEST = 1000, 100
COMPONENTS = [4, 16, 64, 128, 256]


def images(folder: Path, part: str) -> np.ndarray:
    """Grey values from −1 to 1, as the paper has them; the file has whole numbers from 0 to 2000, and the digit in the last column."""
    with gzip.open(folder / f"usps_{part}.csv.gz", "rt") as file:
        file.readline()
        values = np.array([line.rstrip("\n").replace('"', "").split(",")[:256] for line in file], float)
    return values / 1000 - 1


def main() -> None:
    folder = Path(sys.argv[1]) / "images"
    rng = np.random.default_rng(0)
    train, test = images(folder, "train"), images(folder, "test")
    train = train[rng.permutation(len(train))[:TRAIN]]
    test = test[rng.permutation(len(test))[:TEST]]
    noisy = test + SIGMA * rng.normal(size=test.shape)

    def error(points: np.ndarray) -> float:
        return float(((points - test) ** 2).mean())

    print("| components | linear PCA | kernel PCA, fixed point | kernel PCA, regression |\n|---|---|---|---|")
    print(f"| none: the noise | {error(noisy):.4f} | | |")
    # The kernel of the paper: exp(−‖x − y‖²/(0.5·256)).
    kernel = f"rbf(length_scale={np.sqrt(0.5 * 256 / 2)})"
    for count in COMPONENTS:
        linear = mercer.KernelPCA("linear", n_components=count).fit(train)
        w = linear.dual_coef_.T @ train
        flat = train.mean(0) + linear.transform(noisy) @ w
        pca = mercer.KernelPCA(kernel, n_components=count).fit(train)
        f = pca.transform(noisy)
        back, regressed = pca.inverse_transform(f), pca.inverse_transform(f, method="regression", alpha=0.01)
        print(f"| {count} | {error(flat):.4f} | {error(back):.4f} | {error(regressed):.4f} |", flush=True)


if __name__ == "__main__":
    main()
