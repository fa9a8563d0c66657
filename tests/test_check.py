"""`./run check`: which tests belong to a changed file, and what makes it fail; tests that are left out or skipped."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import conftest
import pytest

sys.path.append(str(Path(__file__).parent.parent / "tools"))
import check

ROOT = check.ROOT


def test_a_source_file_is_tested_by_its_mutants_its_examples_and_its_package():
    chosen = list(check.tests_of(Path("src/stiction/rows/stick_slip.py")))
    assert chosen[0].startswith("tests/rows/test_stick_slip.py")
    assert {"src/stiction/rows/stick_slip.py", "tests/rows"} <= set(chosen)
    assert "tests/test_cli.py" in check.tests_of(Path("src/stiction/cli.py"))


@pytest.mark.parametrize(
    "file, test",
    [
        ("tests/rows/test_cones.py", "tests/rows/test_cones.py"),
        ("tests/rows/contact_problems.py", "tests/rows/test_cones.py"),
        ("docs/contacts.md", "tests/test_quality.py::test_code_in_the_docs_runs[contacts.md]"),
        ("tools/soak.py", "tests/test_soak.py"),
        ("pyproject.toml", "tests/test_quality.py"),
    ],
)
def test_other_files(file, test):
    assert (ROOT / file).exists()
    assert test in list(check.tests_of(Path(file)))


def test_every_test_that_is_named_exists():
    for file in sorted((ROOT / "src" / "stiction").rglob("*.py")):
        for test in check.tests_of(file.relative_to(ROOT)):
            assert (ROOT / test.partition("::")[0]).exists(), (file, test)


@pytest.fixture
def clean(monkeypatch):
    monkeypatch.setattr(check, "changed", lambda: [])
    monkeypatch.setattr(check, "TOOLS", (("python", "-c", ""),))


def status():
    with pytest.raises(SystemExit) as ended:
        check.main()
    return ended.value.code


def test_nothing_to_complain_about(clean, capsys):
    assert status() == 0
    assert "no tests to run" in capsys.readouterr().out


def test_a_tool_that_complains_is_shown(clean, monkeypatch, capsys):
    monkeypatch.setattr(check, "TOOLS", (("python", "-c", "exit('a line is too long')"),))
    assert status() == 1
    assert "a line is too long" in capsys.readouterr().out


def test_that_fails_where_it_is_asked_to():
    assert "STICTION_TEST_FAILS" not in os.environ


@pytest.mark.parametrize("fails", [False, True])
def test_tests_decide(clean, monkeypatch, fails):
    if fails:
        monkeypatch.setenv("STICTION_TEST_FAILS", "1")
    monkeypatch.setattr(check, "changed", lambda: [Path("a file")])
    monkeypatch.setattr(check, "tests_of", lambda _: ["tests/test_check.py::test_that_fails_where_it_is_asked_to"])
    assert status() == fails


def test_tests_that_took_long_are_left_out(monkeypatch):
    """In their order, as many as fit into a second; `new` never ran."""
    monkeypatch.setattr(conftest, "_seconds", lambda: {"a": 0.6, "b": 0.9, "c": 0.05})
    left = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left.extend(items))
    items = [SimpleNamespace(nodeid=name) for name in ("a", "b", "new", "c")]
    for seconds, names in ((1.0, ["a", "new", "c"]), (None, ["a", "new", "c"]), (0.1, ["c"])):
        config = SimpleNamespace(getoption=lambda _, seconds=seconds: seconds, hook=hook)
        conftest.pytest_collection_modifyitems(config, items)
        assert [item.nodeid for item in items] == names
    assert [item.nodeid for item in left] == ["b", "a", "new"]


@pytest.mark.parametrize("ci, outcome", [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_browser_is_reported_and_fails_in_ci(monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setitem(conftest.NEEDS, "browser", (lambda: None, "apt install chromium"))
    item = SimpleNamespace(get_closest_marker=lambda name: name == "browser")
    with pytest.raises(outcome, match="apt install chromium"):
        conftest.pytest_runtest_setup(item)
    monkeypatch.setitem(conftest.NEEDS, "browser", (lambda: "/usr/bin/chromium", ""))
    conftest.pytest_runtest_setup(item)
