"""Lessons run, follow their sliders without compiling, and answer every answer."""

import importlib.util
import os
import re
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import marimo as mo
import pytest

from stiction.errors import StictionError
from stiction.lessons import HERE, TITLES, file_of
from stiction.lessons.question import Question
from stiction.lessons.serve import command
from tests.site.browser import Browser


def notebook(name):
    path = file_of(name)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_is_one_for_each_section():
    assert sorted(path.name for path in HERE.glob("lesson_*.py")) == sorted(file_of(name).name for name in TITLES)


@pytest.mark.parametrize("name", TITLES)
def test_sliders_never_compile(name, private_cache):
    """A lesson runs from its first cell to its last; with all sliders at either end, too, by the same programs."""
    app = notebook(name).app
    _, first = app.run()
    sliders = {key: x for key, x in first.items() if isinstance(x, mo.ui.slider)}
    assert len(sliders) >= 2
    compiled = set(os.listdir(private_cache))
    for end in ("start", "stop"):
        moved = {key: SimpleNamespace(value=getattr(slider, end)) for key, slider in sliders.items()}
        app.run(defs=moved)
    assert {x for x in os.listdir(private_cache) if x.endswith(".kernel")} <= compiled


@pytest.mark.parametrize("name", TITLES)
def test_every_answer_gets_its_reason(name):
    """Each answer of each question is tried in the cell that replies: one is right, all others say why not."""
    module, count = notebook(name), 0
    while hasattr(module, f"ask_{count + 1}"):
        count += 1
        _, asked = getattr(module, f"ask_{count}").run(Question=Question)
        question, element = asked[f"question_{count}"], asked[f"answer_{count}"]
        assert list(element.options) == list(question.answers) and element.value is None
        verdicts = {}
        for answer in question.answers:
            shown, _ = getattr(module, f"reply_{count}").run(
                **{f"question_{count}": question, f"answer_{count}": SimpleNamespace(value=answer)}
            )
            verdicts[answer] = "Right." in shown.text
            assert ("Right." in shown.text) != ("No." in shown.text)
        assert [answer for answer, right in verdicts.items() if right] == [question.right]
        waiting, _ = getattr(module, f"reply_{count}").run(
            **{f"question_{count}": question, f"answer_{count}": SimpleNamespace(value=None)}
        )
        assert "Choose an answer" in waiting.text
        assert not any(re.search(r"\$|\\[a-z]", answer) for answer in question.answers), "answers are plain text"
    assert count >= 2 and not hasattr(module, f"reply_{count + 1}")


def test_questions_without_reasons_are_refused():
    for answers in ({"2": "so"}, {"2": "so", "3": " "}, {"3": "a", "4": "b"}):
        with pytest.raises(StictionError, match="the question 'What is 1"):
            Question("What is 1 + 1?", "2", answers)


def test_bad_names_and_ports_are_refused():
    with pytest.raises(StictionError, match="unknown lesson 'lagrang'; stiction has: lagrange"):
        command("lagrang", 0, False)
    with pytest.raises(StictionError, match="port is 70000"):
        command("", 70000, False)


TEXT = """(() => { const roots = [document.body], found = []; while (roots.length) { const r = roots.pop()
  found.push(r.textContent); for (const e of r.querySelectorAll("*")) if (e.shadowRoot) roots.push(e.shadowRoot) }
  return found.join(" ") })()"""  # that of notebooks is in shadow roots


@pytest.mark.browser
@pytest.mark.parametrize("names", [list(TITLES)[-2:], pytest.param(list(TITLES)[:-2], marks=pytest.mark.slow)], ids=len)
def test_lessons_open_in_a_browser_without_a_request_to_anywhere(names):
    """The list, on desk and phone, and lessons down to their last questions, served as `stiction lessons` does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "stiction.cli", "lessons", "--no-browser", "--port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    served = subprocess.Popen(words, start_new_session=True, **quiet)
    try:
        wait_for(port)
        with Browser() as browser:
            for size in ("desktop", "phone"):
                look(browser.page(size), f"http://127.0.0.1:{port}/", f"{TEXT}.includes('Actuation')")
            for name in names:
                source = file_of(name).read_text(encoding="utf-8")
                answered = f"({TEXT}.match(/Choose an answer/g) || []).length >= {source.count('def reply_')}"
                size = "desktop" if len(name) % 2 else "phone"  # both, of some
                look(browser.page(size, height=9000), f"http://127.0.0.1:{port}/?file={file_of(name).name}", answered)
    finally:
        os.killpg(served.pid, 15)
        served.wait(20)


def look(page, url, ready):
    page.open(url, ready)
    assert page.problems() == {}, url
    page.close()


def wait_for(port):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise TimeoutError(port)
