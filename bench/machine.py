"""Descriptions of the machine and the versions of a measurement."""

import datetime
import json
import os
import platform
import subprocess
import sys
from importlib import metadata
from pathlib import Path

_OURS = ("graphcore", "numpy", "scipy", "numba", "scikit-learn")
_PEERS = ("coreset-sc", "pymetis", "stag", "scikit-learn", "scikit-network", "igraph", "leidenalg", "numpy", "scipy")
_ASK = (
    "import json, platform, sys; from importlib import metadata as m; out = {'Python': platform.python_version()}\n"
    "for name in sys.argv[1:]:\n"
    "    try: out[name] = m.version(name)\n"
    "    except m.PackageNotFoundError: out[name] = None\n"
    "print(json.dumps(out))"
)


def describe(options):
    """Return processor, BLAS, cores, memory, system, versions, threads, load and date: a dict of strings."""
    load = os.getloadavg()[0]
    return {
        "processor": processor(),
        "BLAS": blas(),
        "memory": f"{cores()} cores, {memory() / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "threads": str(options.threads),
        "load at the start": f"{load:.1f}" + (" (busy: figures are noisy)" if load > 0.5 * cores() else ""),
        "date": datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M"),
        "graphcore's side": versions(),
        "peers' side": _named(_peer_versions(options.peers)),
    }


def cores():
    """Return the cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def memory():
    """Return the bytes of memory of the machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def versions():
    """Return the versions of Python, graphcore and its requirements, as text."""
    return _named({"Python": platform.python_version(), **{n: _version(n) for n in _OURS}})


def blas():
    """Return the BLAS of numpy and scipy, with its kernels for this processor, and threads."""
    import scipy.linalg  # noqa: F401  (its BLAS is loaded by now, too)
    from threadpoolctl import threadpool_info

    found = [library for library in threadpool_info() if library["user_api"] == "blas"]
    names = (
        " ".join(filter(None, (library["internal_api"], library["version"], library.get("architecture"))))
        + f", {library['num_threads']} threads"
        for library in found
    )
    return " and ".join(sorted(set(names))) or "no BLAS that threadpoolctl knows"


def processor():
    """Return the model of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _version(name):
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return sys.modules[name].__version__ if name in sys.modules else None


def _peer_versions(python):
    if not Path(python).exists():
        return {"no environment": f"at {python}"}
    answer = subprocess.run([python, "-c", _ASK, *_PEERS], capture_output=True, text=True, check=True)
    return json.loads(answer.stdout)


def _named(versions):
    return ", ".join(f"{name} {version or 'not installed'}" for name, version in versions.items())
