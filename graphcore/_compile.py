"""Says when loops are being compiled, so that a first run does not look like a hang."""

from contextlib import contextmanager

__all__ = ["NOTICES", "compilation_notices"]

NOTICES = {
    "graphcore": "graphcore: compiling its loops for this machine (once, some seconds)",
    "pynndescent": "pynndescent: compiling its loops (in every run, 20 to 40 s)",
}


@contextmanager
def compilation_notices(tell, packages=tuple(NOTICES)):
    """Within, `tell(text)` is called once for each package whose loops start to compile; what a cache has does not."""
    # Here and not above: whoever wants notices is about to need numba, whoever does not should not wait for it.
    from numba.core import event

    class Notices(event.Listener):
        def __init__(self):
            self.notified = set()

        def on_start(self, compiling):
            package = compiling.data["dispatcher"].py_func.__module__.partition(".")[0]
            if package in packages and package not in self.notified:
                self.notified.add(package)
                tell(NOTICES[package])

        def on_end(self, compiling):
            pass

    with event.install_listener("numba:compile", Notices()):
        yield
