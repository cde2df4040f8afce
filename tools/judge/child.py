"""Answers questions about expressions, one JSON line each, in a process that may die."""

from __future__ import annotations

import json
import resource
import sys
import time
from typing import Any

#: What a question may take of the machine's memory.
MEMORY = 4 << 30


def answer(expression: str, domain: str) -> dict[str, Any]:
    """What Mercer says, with the seconds of the processor."""
    import mercer

    start = time.process_time()
    out: dict[str, Any] = {}
    try:
        found = mercer.check(expression, domain=domain, language="expression")
        example = found.counterexample
        out = {
            "verdict": found.verdict,
            "standing": found.standing,
            "proof": found.proof,
            "conditional": found.conditional,
            "reason": found.reason,
        }
        if example is not None:
            out["summary"] = example.summary
            out["matrix"] = example.matrix.tolist()
            out["value"] = example.value
    except mercer.errors.MercerError as error:
        out = {"error": str(error)}
    except BaseException as error:  # A panic arrives as one.
        out = {"crash": f"{type(error).__name__}: {error}"}
    out["seconds"] = time.process_time() - start
    return out


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        expression, domain = json.loads(line)
        print(json.dumps(answer(expression, domain)), flush=True)


if __name__ == "__main__":
    main()
