"""The project's own rules: style, types, walls between rooms, quick imports, docs that tell the truth."""

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
import warnings
from pathlib import Path

import pytest

from stiction.friction.law import LAWS
from tests.gpu import imitate

ROOT = Path(__file__).parent.parent
TOOLS = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",), ("lint-imports",)],
    ids=lambda command: " ".join(command),
)
def test_tools_are_content(command):
    result = subprocess.run([TOOLS / command[0], *command[1:]], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def modules_after(code):
    script = f"import sys; {code}; print(' '.join(sys.modules))"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_nothing_heavy_is_imported_before_it_is_used():
    heavy = {"numpy", "llvmlite", "matplotlib", "scipy", "sympy", "numba"}
    assert not heavy & modules_after("import stiction")
    assert not (heavy - {"numpy"}) & modules_after("import stiction.cli; stiction.cli.app.help_format")
    assert not (heavy - {"numpy", "llvmlite"}) & modules_after(
        "import stiction; stiction.library.puma560().mass_matrix([0.0] * 6)"
    )


def test_public_names_exist_and_explain_themselves():
    import stiction

    for name in stiction.__all__:
        assert getattr(stiction, name).__doc__, name
    assert set(stiction.__all__) <= set(dir(stiction))
    with pytest.raises(AttributeError, match=r"unknown name 'Robto'; the module stiction has: Robot"):
        stiction.Robto  # noqa: B018


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^([ \t]*)```[ \t]*(\w*)([^\n]*)\n(.*?)^\1```[ \t]*$", re.S | re.M)
LANGUAGES = {"python", "sh", "toml", "text", ""}


def blocks(page):
    """Language, code and first line of every block."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        yield found[2], textwrap.dedent(found[4]), text.count("\n", 0, found.start(4))


@pytest.mark.parametrize("page", [p for p in PAGES if "```" in p.read_text(encoding="utf-8")], ids=lambda p: p.name)
def test_code_in_the_docs_runs(page, tmp_path, monkeypatch):
    """The blocks of a page run one after another, each with what those before it made; `# →` says what is printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(LAWS, "_classes", dict(LAWS))  # laws of a page are those of its reader
    names = {"__name__": "page"}
    for language, code, line in blocks(page):
        assert language in LANGUAGES, f"{page.name}:{line}: {language}"
        if language == "toml":
            tomllib.loads(code)
        if language != "python":
            continue
        if 'device="cuda"' in code:
            imitate(monkeypatch)
        said = io.StringIO()
        with warnings.catch_warnings(), contextlib.redirect_stdout(said):
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", module="matplotlib", category=DeprecationWarning)  # what an old one uses
            exec(compile("\n" * line + code, str(page), "exec"), names)  # tracebacks name the page and its line
        for promise in re.findall(r"^print\(.*\)\s+# → (.*)$", code, re.M):
            assert promise.strip() in said.getvalue(), f"{page.name}:{line}: {said.getvalue()}"


def test_run_keeps_the_callers_folder(tmp_path):
    """Commands see the files of the folder where they are called; tests and benchmarks run in the clone."""
    clone, elsewhere = tmp_path / "clone", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (clone / ".venv/bin").mkdir(parents=True)
    for name in ("run", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, clone)
    stamp = subprocess.run("cat pyproject.toml constraints.txt | cksum", shell=True, cwd=clone, capture_output=True)
    for extra in ("all", "test", "docs,command"):
        (clone / f".venv/{extra}.stamp").write_bytes(stamp.stdout)
    for program in ("python", "stiction"):
        (clone / ".venv/bin" / program).write_text('#!/bin/sh\necho "$PWD: $*"\n')
        (clone / ".venv/bin" / program).chmod(0o755)
    for words, folder, what in (
        (("run", "a b.toml", "--out", "x.h5"), elsewhere, "run a b.toml --out x.h5"),
        (("docs", "--no-browser"), elsewhere, "docs --no-browser"),
        (("test", "-k", "x"), clone, "-m pytest -k x"),
    ):
        result = subprocess.run(["../clone/run", *words], cwd=elsewhere, capture_output=True, text=True)
        assert result.stdout == f"{folder}: {what}\n", result.stderr


def test_ci_runs_the_readme_command():
    readme, ci = (ROOT / "README.md").read_text(), (ROOT / ".ci/run").read_text()
    assert "./run test " in readme and ci.rstrip().endswith("./run test")
    assert "apt install chromium" in readme and "install -qy chromium" in ci
    assert os.access(ROOT / "run", os.X_OK)
