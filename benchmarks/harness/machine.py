"""What the numbers were measured on: machine, compiler, versions."""

import importlib.metadata
import os
import platform
import re
import subprocess
import tomllib
from pathlib import Path

import psutil

REPOSITORY = Path(__file__).resolve().parents[2]
HUGE_PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")
PACKAGES = ("numpy", "scipy", "scikit-learn", "pykeops")


def describe_machine() -> dict:
    """Printed above the table and stored with the results."""
    return {
        "processor": processor(),
        "cores": f"{os.cpu_count()} online, load {os.getloadavg()[0]:.1f} at the start",
        "memory": f"{psutil.virtual_memory().total / 1e9:.1f} GB",
        "kernel": f"{platform.system()} {platform.release()}",
        "huge pages": huge_pages(),
        "rustc": command_output("rustc", "--version"),
        "build": build_flags(),
        "commit": command_output("git", "-C", str(REPOSITORY), "describe", "--always", "--dirty"),
        "python": platform.python_version(),
        "peers": ", ".join(f"{p} {importlib.metadata.version(p)}" for p in PACKAGES),
        "BLAS": blas(),
    }


def processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor() or "unknown"
    model = re.search(r"model name\s*:\s*(.*)", text)
    flags = set(re.findall(r"\b(avx2|avx512f|fma|neon|asimd)\b", text))
    return f"{model.group(1) if model else 'unknown'} ({', '.join(sorted(flags))})"


def huge_pages() -> str:
    if not HUGE_PAGES.exists():
        return "unknown"
    chosen = re.search(r"\[(\w+)\]", HUGE_PAGES.read_text())
    return chosen.group(1) if chosen else "unknown"


def command_output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip()


def build_flags() -> str:
    """The release profile and RUSTFLAGS that Mercer was built with."""
    profile = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())
    release = profile.get("profile", {}).get("release", {})
    settings = ", ".join(f"{key}={value}" for key, value in release.items())
    return f"release ({settings or 'defaults'}), RUSTFLAGS={os.environ.get('RUSTFLAGS', '')!r}"


def blas() -> str:
    import numpy  # noqa: F401  loads the library that threadpoolctl looks for
    from threadpoolctl import threadpool_info

    found = (
        f"{pool['internal_api']} {pool['version']} ({pool.get('architecture', '?')})"
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    )
    return ", ".join(dict.fromkeys(found)) or "unknown"
