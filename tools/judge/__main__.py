"""Draws expressions, asks Mercer and judges the answers; or verifies the table of known kernels.

    run [--seed N] [--count N] [--seconds S] [--domain D] [--effort E] [--findings FILE]
    run table [--effort E] [--seed N]
    run ask EXPRESSION [--domain D]

Exit code 1 says that there are findings.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from . import table
from .client import LIMIT, Mercer
from .generate import Generator
from .points import DOMAINS
from .search import Function, search
from .shrink import shrunk
from .verdict import SLOW, UNSURE, wrong


def main() -> int:
    choices = _arguments()
    if choices.what == "table":
        return _table(choices)
    if choices.what == "ask":
        return _ask(choices)
    return _hunt(choices)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="run", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="hunt", choices=["hunt", "table", "ask"])
    parser.add_argument("expression", nargs="?", help="for ask")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=None, help="expressions at most")
    parser.add_argument("--seconds", type=float, default=None, help="seconds at most (60 without --count)")
    parser.add_argument("--domain", action="append", choices=DOMAINS, help="may be given more than once")
    parser.add_argument("--effort", type=float, default=0.3, help="how long to search; 1 is thorough")
    parser.add_argument("--findings", type=Path, default=Path("findings.txt"), help="where findings are written")
    return parser.parse_args()


def _hunt(choices: argparse.Namespace) -> int:
    with Mercer() as mercer:
        domains = tuple(d for d in choices.domain or DOMAINS if _is_known(mercer, d))
        seconds = choices.seconds if choices.seconds or choices.count else 60.0
        counts = hunt(mercer, choices.seed, domains, choices.count, seconds, choices.effort, _writer(choices.findings))
    print(", ".join(f"{counts[word]} {word}" for word in WORDS))
    return 1 if counts["findings"] else 0


WORDS = ("expressions", "proved", "refuted", "conditional", "undecided", "unsure", "findings")


def hunt(
    mercer: Mercer,
    seed: int,
    domains: tuple[str, ...],
    count: int | None,
    seconds: float | None,
    effort: float,
    report: Callable[[str, str, str], None],
    slow: float = SLOW,
) -> Counter[str]:
    """Draws, asks and judges until the count or the time is over; reports expression, domain and fault."""
    generator, counts = Generator(seed, domains), Counter(dict.fromkeys(WORDS, 0))
    end = None if seconds is None else time.monotonic() + seconds
    while (count is None or counts["expressions"] < count) and (end is None or time.monotonic() < end):
        expression, domain = generator.draw()
        answer = mercer.ask(expression, domain)
        counts["expressions"] += 1
        counts[_word(answer)] += 1
        fault = wrong(expression, domain, answer, Random(seed), effort, slow)
        if fault == UNSURE:
            counts["unsure"] += 1
        elif fault:
            counts["findings"] += 1
            report(expression, domain, fault)
    return counts


def _word(answer: dict[str, object]) -> str:
    if str(answer.get("standing", "")).startswith("conditionally"):
        return "conditional"
    words = {"positive definite": "proved", "not positive definite": "refuted", "not defined": "refuted"}
    return words.get(str(answer.get("verdict")), "undecided")


def _is_known(mercer: Mercer, domain: str) -> bool:
    answer = mercer.ask("x*y", domain)
    if "error" in answer:
        print(f"domain {domain} is not known to this Mercer: {answer['error']}", file=sys.stderr)
    return "error" not in answer


def _writer(path: Path) -> Callable[[str, str, str], None]:
    """Writes a finding with its simplest form to the file and the terminal."""

    def report(expression: str, domain: str, fault: str) -> None:
        kind = fault.split(":")[0].split(" ")[0]
        simple, simple_fault = _simplest(expression, domain, fault, kind)
        text = f"{simple} on {domain}\n  {simple_fault}\n  found as {expression}\n"
        print(text, flush=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(text + "\n")

    return report


def _simplest(expression: str, domain: str, fault: str, kind: str) -> tuple[str, str]:
    faults = {expression: fault}
    with Mercer(limit=LIMIT) as mercer:

        def still(text: str) -> bool:
            found = wrong(text, domain, mercer.ask(text, domain), Random(1), 0.3)
            if found and found.startswith(kind):
                faults[text] = found
                return True
            return False

        simple = shrunk(expression, still)
    return (simple, faults[simple]) if simple in faults else (expression, fault)


def _ask(choices: argparse.Namespace) -> int:
    domain = choices.domain[0] if choices.domain else "R"
    with Mercer(limit=60) as mercer:
        answer = mercer.ask(choices.expression, domain)
    print(answer)
    print("wrong:", wrong(choices.expression, domain, answer, Random(choices.seed), choices.effort))
    print("search:", search(Function(choices.expression), domain, Random(choices.seed), choices.effort))
    return 0


def _table(choices: argparse.Namespace) -> int:
    bad, counts = 0, Counter[str]()
    for row in table.rows():
        problem, found = table.verify(row, choices.effort, choices.seed)
        counts[row.answer] += 1
        if problem:
            bad += 1
            print(
                f"line {row.line}: {row.expression} on {row.domain} is told to be {row.answer}: {problem}", flush=True
            )
    print(", ".join(f"{n} {answer}" for answer, n in counts.items()) + f"; {bad} doubtful")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
