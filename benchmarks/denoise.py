"""Digits of USPS with Gaussian noise, projected on components and taken back: mean squared errors, as in Mika et al. (1998).

python benchmarks/denoise.py DATA [PICTURE]    # the folder that holds images/usps_train… and images/usps_test…; prints tables

Every method is judged at its own best setting: width of the kernel and number of components are chosen on digits of the training file that
no method was fitted to, with noise of their own; the test digits are looked at once.
"""

import gzip
import struct
import sys
import zlib
from pathlib import Path

import numpy as np

import mercer

SIGMA = 0.5
TRAIN, VALIDATION, TEST = 2000, 100, 200
LINEAR = [32, 40, 48, 56, 64, 80, 96]
# exp(−‖x − y‖²/(c·256)); the paper has c = 0.5.
WIDTHS = [0.5, 1.0, 2.0]
COMPONENTS = [64, 128, 256, 512, 1024]


def images(folder: Path, part: str) -> np.ndarray:
    """Grey values from −1 to 1, as the paper has them; the file has whole numbers from 0 to 2000, and the digit in the last column."""
    with gzip.open(folder / f"usps_{part}.csv.gz", "rt") as file:
        file.readline()
        values = np.array([line.rstrip("\n").replace('"', "").split(",")[:256] for line in file], float)
    return values / 1000 - 1


def linear(train: np.ndarray, noisy: np.ndarray, count: int) -> np.ndarray:
    """Projections on linear components."""
    pca = mercer.KernelPCA("linear", n_components=count).fit(train)
    return train.mean(0) + pca.transform(noisy) @ (pca.dual_coef_.T @ train)


def kernel(train: np.ndarray, noisy: np.ndarray, width: float, count: int) -> np.ndarray:
    """Fixed points near projections in feature space."""
    pca = mercer.KernelPCA(f"rbf(length_scale={np.sqrt(width * 256 / 2)})", n_components=count).fit(train)
    return pca.inverse_transform(pca.transform(noisy), method="fixed_point")


def error(points: np.ndarray, truth: np.ndarray) -> float:
    return float(((points - truth) ** 2).mean())


def picture(path: Path, rows: list[np.ndarray]) -> None:
    """Rows of digits as a grey PNG, four pixels a value."""
    strip = np.vstack([np.hstack([np.pad(d.reshape(16, 16), 1, constant_values=-1) for d in row]) for row in rows])
    grey = np.kron(np.clip(127.5 * (1 - strip), 0, 255).astype(np.uint8), np.ones((4, 4), np.uint8))
    height, width = grey.shape
    raw = b"".join(b"\0" + line.tobytes() for line in grey)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)


def main() -> None:
    folder = Path(sys.argv[1]) / "images"
    rng = np.random.default_rng(0)
    train, test = images(folder, "train"), images(folder, "test")
    train = train[rng.permutation(len(train))[: TRAIN + VALIDATION]]
    train, held = train[:TRAIN], train[TRAIN:]
    test = test[rng.permutation(len(test))[:TEST]]
    noisy_held = held + SIGMA * rng.normal(size=held.shape)
    noisy = test + SIGMA * rng.normal(size=test.shape)

    print("On held-out training digits:\n\n| components | linear |\n|---|---|")
    flat = {k: error(linear(train, noisy_held, k), held) for k in LINEAR}
    print("".join(f"| {k} | {e:.4f} |\n" for k, e in flat.items()))
    print("| components |" + "".join(f" c = {c:g} |" for c in WIDTHS) + "\n|---|" + "---|" * len(WIDTHS))
    found = {}
    for k in COMPONENTS:
        found |= {(c, k): error(kernel(train, noisy_held, c, k), held) for c in WIDTHS}
        print(f"| {k} |" + "".join(f" {found[c, k]:.4f} |" for c in WIDTHS), flush=True)
    k_flat, (c, k) = min(flat, key=flat.__getitem__), min(found, key=found.__getitem__)
    straight, curved = linear(train, noisy, k_flat), kernel(train, noisy, c, k)
    print("\nOn test digits, at these settings:\n\n| method | setting | error |\n|---|---|---|")
    print(f"| the noise | | {error(noisy, test):.4f} |")
    print(f"| linear PCA | {k_flat} components | {error(straight, test):.4f} |")
    print(f"| kernel PCA | c = {c:g}, {k} components | {error(curved, test):.4f} |")
    better = ((curved - test) ** 2).mean(1) < ((straight - test) ** 2).mean(1)
    print(f"\nKernel PCA is nearer for {100 * better.mean():.0f} % of the digits.")
    if len(sys.argv) > 2:
        picture(Path(sys.argv[2]), [points[:16] for points in (test, noisy, straight, curved)])


if __name__ == "__main__":
    main()
