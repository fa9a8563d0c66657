"""The documentation site: it builds, every link leads somewhere, every page opens in a browser without a fault."""

import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import stiction
from stiction.errors import StictionError
from stiction.site.build import build

from .browser import Browser
from .links import problems

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return build(tmp_path_factory.mktemp("built") / "site").parent


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site):
    assert list(problems(site)) == []


def test_every_page_is_in_the_navigation_and_there():
    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]

    def files(entries):
        for entry in entries:
            for what in entry.values():
                yield from files(what) if isinstance(what, list) else [what]

    listed = list(files(settings["nav"]))
    assert len(listed) == len(set(listed))
    assert set(listed) == {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}


@pytest.mark.browser
@pytest.mark.parametrize("part", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_every_page_opens_without_a_fault(site, part):
    """No request to anywhere, no console error, no overflow, no formula left as text, at desk and phone width."""
    wrong, pages = {}, [page for page in sorted(site.rglob("*.html")) if page.name != "404.html"]
    with Browser() as browser:
        for page in pages[part::3]:
            tab = browser.page("desktop")
            tab.open(page.as_uri())
            for size in ("desktop", "phone"):
                tab.resize(size)
                tab.rest(0.1)
                if found := tab.problems():
                    wrong[str(page.relative_to(site)), size] = found
            tab.close()
    assert wrong == {}


@pytest.mark.browser
def test_search_finds_without_a_server(site):
    with Browser() as browser:
        tab = browser.page()
        tab.open((site / "index.html").as_uri())
        tab.run("document.querySelector('.md-search__button').click()")
        tab.rest(0.5)
        tab.send("Input.insertText", text="Stribeck")
        boxes = "[...document.querySelectorAll('*')].filter(x => x.shadowRoot).map(x => x.shadowRoot.textContent)"
        tab.wait(f"{boxes}.join().includes('results')")
        assert "Friction" in tab.run(f"{boxes}.join()")
        assert tab.problems() == {}


def test_every_public_name_has_a_place_in_the_api():
    pages = "\n".join(page.read_text(encoding="utf-8") for page in (DOCS / "api").glob("*.md"))
    for name in set(stiction.__all__) - {"library"}:
        assert re.search(rf"^::: stiction\.[\w.]+\.{name}$", pages, re.M), name
    for path in re.findall(r"^::: (stiction\.[\w.]+)$", pages, re.M):
        thing = found(path)
        text = thing.__doc__ or ""
        error = isinstance(thing, type) and issubclass(thing, (Exception, Warning))
        assert error or "Example:" in text, f"{path} has no example"


def found(path):
    """What a dotted path of the documentation means."""
    words = path.split(".")
    for k in range(len(words), 0, -1):
        try:
            thing = importlib.import_module(".".join(words[:k]))
        except ModuleNotFoundError:
            continue
        for word in words[k:]:
            thing = getattr(thing, word) if word not in getattr(thing, "__annotations__", {}) else thing
        return thing
    raise ModuleNotFoundError(path)


def test_what_the_pages_of_papers_name_is_there():
    tests = {}
    for page in (DOCS / "papers").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for path in re.findall(r"`(stiction\.[\w.]+)`", text):
            found(path)
        for file, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", text):
            tests.setdefault(file, (ROOT / file).read_text(encoding="utf-8"))
            assert f"def {name}(" in tests[file], f"{page.name}: {file}::{name}"
        for case in re.findall(r"`stiction reproduce ([\w-]+)`", text):
            from stiction.reproduce import ALIASES, CASES

            assert case in CASES or case in ALIASES or case == "all", f"{page.name}: {case}"


def test_figures_of_the_gallery_are_those_of_the_examples():
    shown = set(re.findall(r"figures/(\w+)\.png", (DOCS / "gallery.md").read_text(encoding="utf-8")))
    assert shown == {path.stem for path in (ROOT / "examples").iterdir() if path.suffix in (".py", ".toml")}


def test_a_folder_with_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(StictionError, match="holds something else"):
        build(tmp_path)
    assert (tmp_path / "thesis.tex").read_text() == "mine"


def test_the_command_tells_where_it_is(tmp_path):
    words = [Path(sys.executable).parent / "stiction", "docs", "--no-browser", "--out", tmp_path / "site"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(tmp_path / "site" / "index.html") and Path(done.stdout.strip()).is_file()
