"""Judges random fits and says which claims do not hold: ``python -m certify --fits 2000``."""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter, defaultdict

from certify.judge import one


def main() -> int:
    parser = argparse.ArgumentParser(prog="certify", description=__doc__)
    parser.add_argument("--fits", type=int, default=2000, help="how many, refused ones not counted")
    parser.add_argument("--seed", type=int, default=0, help="where chance begins")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--show", type=int, default=20, help="broken claims to print")
    args = parser.parse_args()
    fits: Counter[str] = Counter()
    broken: dict[str, list[list[str]]] = defaultdict(list)
    refused, claims = 0, 0
    batch = 16 * args.jobs
    with multiprocessing.Pool(args.jobs) as pool:
        start = args.seed * 10**6
        while fits.total() < args.fits:
            for verdict in pool.map(one, range(start, start + batch), chunksize=2):
                if verdict.refused:
                    refused += 1
                    continue
                fits[verdict.learner] += 1
                claims += verdict.checked
                if verdict.broken:
                    broken[verdict.learner].append(verdict.broken)
            start += batch
    for learner, count in sorted(fits.items()):
        print(f"{learner:32} {count:6} fits {len(broken[learner]):6} broken")
    bad = sum(len(v) for v in broken.values())
    print(f"{fits.total()} fits, {claims} claims, {bad} fits with broken ones; {refused} problems refused")
    for sentences in [s for each in broken.values() for s in each][: args.show]:
        print("\n  ".join(["", *sentences]))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
