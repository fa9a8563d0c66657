"""One compilation at a time, over forks too.

LLVM has locks and memory of its own, which the child of a fork gets as they are. So a fork waits until nothing is
compiled; where that takes too long, the child gets an LLVM that must not be used, and says so instead of waiting for a
thread that it does not have.
"""

import os
import signal
import threading
import time
from typing import Any

import llvmlite.binding.ffi as ffi

from stiction.errors import StictionError

LONGEST = 10.0  # s that a fork waits
SOON = 0.05  # s after which Ctrl-C comes again that came while a fork waited: there it is seen


class CompilerLock:
    """Held while LLVM works; a fork takes it, and the lock of llvmlite, for as long as it lasts."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._forking = threading.local()
        self.lost = False  # whether a fork came while LLVM was at work
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._before, after_in_parent=self._in_parent, after_in_child=self._in_child)

    def __enter__(self) -> None:
        if self.lost:
            raise StictionError(
                f"this process was forked while a thread of its parent compiled for more than {LONGEST:g} s, and "
                "cannot compile itself; fork when nothing is compiled, or start processes by "
                "multiprocessing.get_context('spawn')"
            )
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def _before(self) -> None:
        """Wait until nothing is compiled; Ctrl-C ends the wait."""
        held: list[Any] = []
        self._forking.held, self._forking.interrupted = held, False
        end = time.monotonic() + LONGEST
        try:
            for lock in (self._lock, _lock_of_llvmlite()._lock):
                if not lock.acquire(timeout=max(0.0, end - time.monotonic())):
                    return
                held.append(lock)
        except KeyboardInterrupt:  # nobody sees what is raised before a fork
            self._forking.interrupted = True

    def _in_parent(self) -> None:
        self._release()
        if self._forking.interrupted:
            again = threading.Timer(SOON, lambda: os.kill(os.getpid(), signal.SIGINT))
            again.daemon = True
            again.start()

    def _in_child(self) -> None:
        self.lost = self.lost or len(self._forking.held) < 2
        if self.lost:
            self._lock, _lock_of_llvmlite()._lock = threading.Lock(), threading.RLock()
        else:
            self._release()

    def _release(self) -> None:
        for lock in reversed(self._forking.held):
            lock.release()


def _lock_of_llvmlite() -> Any:
    """What llvmlite holds while it calls LLVM."""
    return ffi.lib._lock
