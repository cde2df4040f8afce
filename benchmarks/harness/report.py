"""Tables for the terminal, for Markdown and as JSON."""

import math

from .figure import MB
from .limits import UNITS, least_seconds
from .measure import Line, Plan, Timing

HEADER = (
    "row",
    "peer",
    "Mercer s",
    "peer s",
    "ratio",
    "figure",
    "met?",
    "of limit",
    "Mercer MB",
    "peer MB",
    "max diff",
    "losses",
)
LEFT = {"row", "peer", "figure", "met?"}
WORTH_A_NOTE = 4.0  # seconds; importing a peer takes one or two


def cells(line: Line, limits: dict, plan: Plan) -> tuple[str, ...]:
    """One line of the table, in the order of HEADER."""
    return (
        line.row.name,
        f"{line.peer.label} {line.peer.version}",
        seconds(line.mercer),
        seconds(line.peer),
        ratio_text(line),
        ", ".join(figure.text for figure in figures(line)) or "–",
        verdict(line, plan),
        share(line, limits, plan),
        megabytes(line.mercer),
        megabytes(line.peer),
        "–" if line.difference is None else f"{line.difference:.1e}",
        losses(line),
    )


def seconds(timing: Timing) -> str:
    return "–" if timing.error else f"{timing.seconds:.4g}"


def megabytes(timing: Timing) -> str:
    return "–" if timing.error else f"{timing.peak / MB:.0f}"


def losses(line: Line) -> str:
    """Mercer's and the peer's."""
    both = [None if t.error else t.loss for t in (line.mercer, line.peer)]
    return "–" if both == [None, None] else " : ".join("–" if v is None else f"{v:.4f}" for v in both)


def measured(line: Line) -> bool:
    return line.mercer.error is None and line.peer.error is None


def ratio(line: Line) -> float | None:
    """How many times as long the peer takes."""
    return line.peer.seconds / line.mercer.seconds if measured(line) else None


def ratio_text(line: Line) -> str:
    value = ratio(line)
    if value is None:
        return "–"
    return f"cost {1 / value:.2f}×" if judged_by_cost(line) else f"{value:.2f}×"


def judged_by_cost(line: Line) -> bool:
    return any(figure.text.startswith("cost") for figure in figures(line))


def figures(line: Line) -> list:
    return [f for f in line.row.figures if f.peer == line.peer.label]


def wrong(line: Line) -> bool:
    if line.relative is None or line.row.tolerance is None:
        return False
    return not line.relative <= line.row.tolerance


def verdict(line: Line, plan: Plan) -> str:
    """Losses are called losses, also where no figure is set."""
    if plan.peers_only:
        return "–"
    if not measured(line):
        return "error"
    if wrong(line):
        return "WRONG RESULT"
    words = [] if plan.quick else [judge(line, figure) for figure in figures(line)]
    if judged_by_cost(line):
        return ", ".join(words) or "–"
    words += ["LOSS"] if ratio(line) < 1 else []
    return ", ".join(words) or "faster"


def judge(line: Line, figure) -> str:
    return "yes" if figure.holds(line.mercer, line.peer, line.sizes) else "NO"


def share(line: Line, limits: dict, plan: Plan) -> str:
    if line.mercer.error or line.row.work is None:
        return "–"
    least = least_seconds(line.row.work(**line.sizes), limits, plan.threads)
    return f"{100 * least / line.mercer.seconds:.0f} %"


def notes(lines: list[Line]) -> list[str]:
    """What the table has no room for: failures, disturbance, what preparing cost."""
    result = []
    for line in lines:
        for timing in (line.mercer, line.peer):
            if timing.error and timing.error != "not asked for":
                result.append(f"{line.row.name}: {timing.label} failed: {timing.error}")
            if timing.calls and disturbed(timing) > 0.2:
                result.append(
                    f"{line.row.name}: other processes kept {disturbed(timing):.1f} cores"
                    f" busy during the best call of {timing.label}"
                )
            if timing.prepare > WORTH_A_NOTE:
                result.append(
                    f"{line.row.name}: {timing.label} took {timing.prepare:.1f} s to"
                    " prepare or compile, not counted above"
                )
    return list(dict.fromkeys(result))


def disturbed(timing: Timing) -> float:
    """Cores used by others during the call that counts; short calls tell nothing."""
    call = min(timing.calls, key=lambda call: call["seconds"])
    return call["others"] / call["seconds"] if call["seconds"] > 0.1 else 0.0


def limit_lines(limits: dict) -> list[tuple[str, str]]:
    rows = []
    for name, (label, unit, scale) in UNITS.items():
        value = f"{limits[name] / scale:.1f} {unit}"
        if name == "exp":
            value += f" ({1e9 / limits[name]:.2f} ns each)"
        rows.append((label, value))
    return rows


def terminal_table(table: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[i]) for row in [HEADER, *table]) for i in range(len(HEADER))]
    return "\n".join(aligned(row, widths) for row in [HEADER, *table])


def aligned(row: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(
        cell.ljust(width) if name in LEFT else cell.rjust(width)
        for name, cell, width in zip(HEADER, row, widths)
    ).rstrip()


def markdown_table(table: list[tuple[str, ...]]) -> str:
    rule = tuple(":--" if name in LEFT else "--:" for name in HEADER)
    return "\n".join(f"| {' | '.join(row)} |" for row in [HEADER, rule, *table])


def markdown(date: str, machine: dict, limits: dict, lines: list[Line], plan: Plan) -> str:
    """The dated page of `benchmarks/results`."""
    table = [cells(line, limits, plan) for line in lines]
    facts = [*machine.items(), ("threads", str(plan.threads))]
    parts = [
        f"# Benchmarks of {date}",
        "Made by `benchmarks/run --save`. Times are minima of calls taken in turn,"
        " memory is the peak of a call over what the process had before it.",
        *(["Quick sizes: not for comparison with figures."] if plan.quick else []),
        bullets(facts),
        "## Limits of this machine in this run",
        bullets(limit_lines(limits)),
        "## Rows",
        markdown_table(table),
        "\n".join(f"- {note}" for note in notes(lines)),
        "## What the rows measure",
        bullets(descriptions(lines)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def bullets(pairs) -> str:
    return "\n".join(f"- {key}: {value}" for key, value in pairs)


def descriptions(lines: list[Line]) -> list[tuple[str, str]]:
    seen = {line.row.name: line for line in lines}
    return [(f"`{name}`", f"{line.row.what}; {line.sizes}") for name, line in seen.items()]


def document(date: str, machine: dict, limits: dict, lines: list[Line], plan: Plan) -> dict:
    """The same, for programs; every single call is in it."""
    return {
        "format": 1,
        "date": date,
        "machine": machine,
        "threads": plan.threads,
        "quick": plan.quick,
        "limits": limits,
        "rows": [line_document(line, plan) for line in lines],
    }


def line_document(line: Line, plan: Plan) -> dict:
    return {
        "row": line.row.name,
        "what": line.row.what,
        "sizes": line.sizes,
        "mercer": timing_document(line.mercer),
        "peer": timing_document(line.peer),
        "ratio": ratio(line),
        "figures": [figure.text for figure in figures(line)],
        "verdict": verdict(line, plan),
        "max_difference": finite(line.difference),
        "relative_difference": finite(line.relative),
    }


def timing_document(timing: Timing) -> dict:
    return {
        "label": timing.label,
        "version": timing.version,
        "prepare_seconds": timing.prepare,
        "calls": timing.calls,
        "error": timing.error,
    }


def finite(value: float | None) -> float | str | None:
    """JSON has no infinity."""
    return value if value is None or math.isfinite(value) else "not finite"
