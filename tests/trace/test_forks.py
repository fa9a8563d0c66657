"""Forks, threads and Ctrl-C around the compiler; each in a process of its own, with signals of its own."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")

PROGRAMS = """
import os, signal, sys, threading, time
os.environ["STICTION_CACHE"] = ""
from stiction import StictionError
from stiction.trace import Port, Program, compiler_lock, exp, processor, sin

def program(terms, shift):
    def function(x):
        for k in range(terms):
            x = sin(x) * exp(-x * (k + shift))
        return (x,)
    return Program("p", function, [Port("x")], [Port("y")])

def check(terms, shift):
    made = program(terms, shift)
    assert abs(float(made(0.5)[0]) - made.function(0.5)[0]) < 1e-12, shift

def outcome(child):  # "hangs" after 20 s
    end = time.monotonic() + 20
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    return "hangs"
"""


def told(code, **more):
    """What a process that runs this code prints."""
    command = [sys.executable, "-W", "ignore", "-c", PROGRAMS + code]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, **more)
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_children_of_a_fork_compile_while_a_thread_of_the_parent_does():
    code = """
stop, shared = threading.Event(), program(2, 99)
def work():
    k = 0
    while not stop.is_set():
        program(12, k)(0.5)
        shared._kernels.clear()
        shared(0.1)
        k += 1
worker = threading.Thread(target=work)
worker.start()
found = []
for k in range(20):
    child = os.fork()
    if not child:
        check(1, k)
        shared._kernels.clear()
        os._exit(0 if abs(float(shared([0.5, 0.5])[0][0]) - shared.function(0.5)[0]) < 1e-12 else 1)
    found.append(outcome(child))
stop.set()
worker.join()
print(set(found))
"""
    assert told(code) == ["{0}"]


def test_a_fork_does_not_wait_for_ever_and_its_child_says_what_it_lacks():
    code = """
compiler_lock.LONGEST = 0.1
ready = program(1, 1)
ready(0.5)
held, done = threading.Event(), threading.Event()
def work():
    with processor._lock:
        held.set()
        done.wait(30)
threading.Thread(target=work).start()
held.wait()
began = time.monotonic()
child = os.fork()
if not child:
    ready(0.5)  # what was compiled runs
    try:
        check(1, 2)
    except StictionError as error:
        os._exit(7 if "forked while" in str(error) and "spawn" in str(error) else 8)
    os._exit(9)
print(time.monotonic() - began < 5, outcome(child))
done.set()
check(1, 3)  # the parent goes on
"""
    assert told(code) == ["True", "7"]


def test_ctrl_c_is_not_lost_while_a_fork_waits():
    code = """
signal.signal(signal.SIGINT, signal.default_int_handler)
held, done = threading.Event(), threading.Event()
def work():
    with processor._lock:
        held.set()
        done.wait(30)
threading.Thread(target=work).start()
held.wait()
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    if not os.fork():
        os._exit(0)
    time.sleep(5)
except KeyboardInterrupt:
    print("stopped", time.monotonic() - began < 3)
done.set()
"""
    assert told(code) == ["stopped", "True"]


def test_whatever_becomes_of_ctrl_c_is_left_as_it_is():
    """A process that is started without Ctrl-C, as by nohup or in the background of a script; one that changes it; and
    threads other than the first.
    """
    code = """
import stiction
scene = stiction.Scene(robot=stiction.library.pendulum(1), q=[0.5])
levels = {"q.joint1": [0.1, 0.2, 0.3]}
def simulates():
    run = stiction.simulate(scene, duration=0.02, step=1e-3, parameters=levels, threads=2, progress=told.append)
    return run.status == "completed" and run["q.joint1"].shape == (21, 3)
told = []
print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
interrupt = threading.Timer(0.01, lambda: os.kill(os.getpid(), signal.SIGINT))
interrupt.start()
check(9, 1)
interrupt.join()
print(simulates(), signal.getsignal(signal.SIGINT) is signal.SIG_IGN)
for handler in (signal.SIG_DFL, signal.default_int_handler):
    signal.signal(signal.SIGINT, handler)
    check(1, 2)
    print(simulates(), signal.getsignal(signal.SIGINT) is handler)
found = []
def work(k):
    check(1, k)
    found.append(simulates())
threads = [threading.Thread(target=work, args=(k,)) for k in (3, 4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(*found)
"""
    ignored = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    assert told(code, **ignored) == ["True"] * 9
