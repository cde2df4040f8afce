"""How late work stops: every learner and command on 8,000 rows, by a deadline and by SIGTERM.

    python benchmarks/stops.py MERCER [--rows 8000] [--after 1.0]

MERCER is the program. Prints seconds from the deadline, or from the signal, to the end of the process, the latest first. Everything should end within a second, or
twice the time of a block of work.
"""

import argparse
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

NUMBERS = "ridge regressor quantiles filter descent sgd gp svr nu_svr lssvm".split()
CLASSES = "logistic classifier gp svc nu_svc kernel_fisher lssvm barycentre".split()


def tables(folder: Path, rows: int) -> None:
    rng = np.random.default_rng(0)
    x = pd.DataFrame(rng.normal(size=(rows, 6)), columns=list("abcdef"))
    y = np.sin(2 * x["a"]) * x["b"] + 0.1 * rng.normal(size=rows)
    x.assign(y=y).to_csv(folder / "numbers.csv", index=False)
    x.assign(y=np.where(y > 0.2, "high", np.where(y < -0.2, "low", "middle"))).to_csv(folder / "classes.csv", index=False)
    (x + 0.05).assign(y=y).to_csv(folder / "others.csv", index=False)
    pd.DataFrame(rng.normal(size=(25 * rows, 7)), columns=list("abcdefy")).to_csv(folder / "many.csv", index=False)


def commands() -> list[list[str]]:
    fits = [["fit", "numbers.csv", "--target", "y", "--model", m, "--no-estimate", "-o", "out.mercer"] for m in NUMBERS]
    fits += [["fit", "classes.csv", "--target", "y", "--model", m, "--no-estimate", "-o", "out.mercer"] for m in CLASSES]
    others = [
        "fit numbers.csv --target y -o out.mercer",
        "gram numbers.csv --spectrum",
        "gram numbers.csv -o out.npy",
        "embed numbers.csv -o out.csv",
        "cluster numbers.csv --clusters 5 -o out.csv",
        "cluster numbers.csv --clusters 5 --model spectral -o out.csv",
        "compare numbers.csv others.csv",
        "depend numbers.csv --x a --y b",
        "depend numbers.csv --x a --y b --given c",
        "segment numbers.csv",
        "tune numbers.csv --target y --grid C=0.1..100:4 --grid length_scale=0.5,1,2 -o out.mercer",
        "check rbf --data numbers.csv --as formula",
        "study gd-sgd --n 3000 -o out.svg",
        "gallery out-pictures",
        "data many.csv",
        "predict model.mercer many.csv -o out.csv",
        "predict model.mercer numbers.csv --interval 0.9 -o out.csv",
        "score model.mercer many.csv",
        "explain model.mercer numbers.csv --rows 0-7999",
        "explain model.mercer numbers.csv --global",
        "verify model.mercer numbers.csv",
    ]
    return fits + [command.split() for command in others]


def model(mercer: str, folder: Path) -> None:
    """What other commands are asked about: a ridge regression with all rows."""
    kernel = ["--kernel", "rbf(length_scale=2)", "--no-estimate", "-q"]
    subprocess.run([mercer, "fit", "numbers.csv", "--target", "y", "--model", "ridge", *kernel, "-o", "model.mercer"], cwd=folder, check=True)


def late(mercer: str, command: list[str], folder: Path, after: float, by_signal: bool) -> tuple[float, int]:
    """Seconds from the stop to the end, negative where the work was done before, and the exit code."""
    told = [] if by_signal else ["--deadline", f"{after}s"]
    start = time.perf_counter()
    process = subprocess.Popen([mercer, *command, *told], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if by_signal:
        try:
            process.wait(after)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
    try:
        process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for left in folder.glob("out*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    return time.perf_counter() - start - after, process.returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mercer")
    parser.add_argument("--rows", type=int, default=8_000)
    parser.add_argument("--after", type=float, default=1.0)
    asked = parser.parse_args()
    program = str(Path(asked.mercer).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder, found = Path(name), []
        tables(folder, asked.rows)
        model(program, folder)
        for command in commands():
            for by_signal in (False, True):
                seconds, code = late(program, command, folder, asked.after, by_signal)
                found.append((seconds, code, "SIGTERM" if by_signal else "deadline", " ".join(command)))
        for seconds, code, how, command in sorted(found, reverse=True):
            print(f"{seconds:6.2f} s late, exit {code:3}, {how:8}: {command}")
