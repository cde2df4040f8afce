"""The command behind `benchmarks/run`."""

import argparse
import datetime
import json
import sys
from pathlib import Path

from . import report
from .limits import best_of, measure_limits
from .machine import describe_machine
from .measure import BENCHMARKS, Line, Plan, measure_row
from .row import Row, load_rows


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/run", description="Measure Mercer beside its peers."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="rows to run; default all")
    parser.add_argument("--list", action="store_true", help="list the rows and stop")
    parser.add_argument("--quick", action="store_true", help="small sizes, no figures judged")
    parser.add_argument("--repeat", type=int, metavar="N", help="calls of each (default 5)")
    parser.add_argument("--threads", type=int, default=2, help="for all (default 2)")
    parser.add_argument("--budget", type=float, default=120.0, metavar="S",
                        help="stop repeating a row after S seconds (default 120)")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every call to FILE")
    parser.add_argument("--save", action="store_true", help="write results/YYYY-MM-DD.md")
    parser.add_argument("--peers-only", action="store_true", help="leave Mercer out")
    parser.add_argument("--no-install", action="store_true",
                        help="use the installed Mercer even if its source changed")  # fmt: skip
    return parser.parse_args()


def choose(rows: dict[str, Row], names: list[str]) -> list[Row]:
    """Rows called by name, or by the beginning of their names."""
    unknown = [n for n in names if not any(row.startswith(n) for row in rows)]
    if unknown:
        print(f"error: no row called `{unknown[0]}`", file=sys.stderr)
        print("hint: `benchmarks/run --list` lists them", file=sys.stderr)
        raise SystemExit(2)
    chosen = (row for row in rows.values() if any(row.name.startswith(n) for n in names))
    return list(chosen) if names else list(rows.values())


def print_list(rows: list[Row]) -> None:
    for row in rows:
        figures = ", ".join(f"{f.text} ({f.peer})" for f in row.figures) or "no figure"
        print(f"{row.name:24} {row.what}; {figures}")


def print_pairs(pairs) -> None:
    for key, value in pairs:
        print(f"{key + ':':36}{value}")
    print()


def measure_all(rows: list[Row], plan: Plan) -> list[Line]:
    lines = []
    for row in rows:
        print(f"measuring {row.name}: {row.what}", file=sys.stderr)
        lines += measure_row(row, plan)
    return lines


def print_report(lines: list[Line], limits: dict, plan: Plan) -> None:
    print_pairs(report.limit_lines(limits))
    print(report.terminal_table([report.cells(line, limits, plan) for line in lines]))
    for note in report.notes(lines):
        print(f"note: {note}")
    if plan.quick:
        print("note: quick sizes; figures are not judged")


def store(options, machine: dict, limits: dict, lines: list[Line], plan: Plan) -> None:
    date = datetime.date.today().isoformat()
    facts = (date, machine, limits, lines, plan)
    if options.json:
        text = json.dumps(report.document(*facts), indent=1, allow_nan=False)
        options.json.write_text(text + "\n")
    if options.save:
        page = BENCHMARKS / "results" / f"{date}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(report.markdown(*facts), encoding="utf-8")
        print(f"\nwritten to benchmarks/results/{page.name}")


def failed(lines: list[Line], plan: Plan) -> bool:
    """A wrong or missing result fails the run; a missed figure does not."""
    return any(report.verdict(line, plan) in ("error", "WRONG RESULT") for line in lines)


def main() -> int:
    sys.stdout.reconfigure(line_buffering=True)
    options = arguments()
    rows = choose(load_rows(), options.names)
    if options.list:
        print_list(rows)
        return 0
    repeat = options.repeat or (3 if options.quick else 5)
    plan = Plan(options.quick, repeat, options.budget, options.threads, options.peers_only)
    machine = describe_machine()
    print_pairs(machine.items())
    before = measure_limits(plan.threads)
    lines = measure_all(rows, plan)
    limits = best_of(before, measure_limits(plan.threads))
    print_report(lines, limits, plan)
    store(options, machine, limits, lines, plan)
    return 1 if failed(lines, plan) else 0


if __name__ == "__main__":
    sys.exit(main())
