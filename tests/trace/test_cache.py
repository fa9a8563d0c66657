"""Compiled code on disk: shared, damaged, unwritable, unsafe, bounded; and what it depends on."""

import ast
import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import stiction
from stiction.trace import Port, Program, cache, processor, sin
from stiction.trace.sources import digest_of


def fresh(key="k", function=None):
    return Program("cached", function or (lambda x: (sin(x) + 1,)), [Port("x")], [Port("y")], key=key)


def never(_):
    raise AssertionError("traced although the kernel was stored")


def test_a_hit_does_not_trace(private_cache):
    first = fresh()
    assert float(first(0.0)[0]) == 1.0
    assert not first.kernel(1).cached
    second = fresh(function=never)
    assert float(second(0.0)[0]) == 1.0
    assert second.kernel(1).cached


def test_without_a_key_the_content_decides(private_cache):
    a = Program("a", lambda x: (x + 1,), [Port("x")], [Port("y")])
    b = Program("b", lambda x: (x + 1,), [Port("x")], [Port("y")])
    c = Program("a", lambda x: (x + 2,), [Port("x")], [Port("y")])
    assert [float(p(1.0)[0]) for p in (a, b, c)] == [2, 2, 3]
    assert [p.kernel(1).cached for p in (a, b, c)] == [False, True, False]


@pytest.mark.parametrize("key", ["k", None])
def test_code_of_another_processor_is_not_taken(private_cache, monkeypatch, key):
    assert [fresh(key).kernel(1).cached for _ in range(2)] == [False, True]
    monkeypatch.setattr(processor, "signature", lambda: "another")
    assert [fresh(key).kernel(1).cached for _ in range(2)] == [False, True]


@pytest.mark.parametrize("key", ["k", None])
def test_code_of_another_level_or_compiler_is_not_taken(private_cache, monkeypatch, key):
    monkeypatch.setenv("STICTION_OPTIMIZATION", "2")
    assert [fresh(key).kernel(1).cached for _ in range(2)] == [False, True]
    monkeypatch.setenv("STICTION_OPTIMIZATION", "0")
    assert [fresh(key).kernel(1).cached for _ in range(2)] == [False, True]
    monkeypatch.setattr(processor, "digest_of_module", lambda file: Path(file).name + ", edited")
    assert [fresh(key).kernel(1).cached for _ in range(2)] == [False, True]
    assert len(list(private_cache.glob("*.kernel"))) == 3


def test_a_program_of_other_sources_is_traced_again_but_equal_text_is_compiled_once(private_cache, monkeypatch):
    fresh().kernel(1)
    monkeypatch.setattr("stiction.trace.program.sources", lambda: "another")
    with pytest.raises(AssertionError, match="traced although"):
        fresh(function=never).kernel(1)
    assert fresh().kernel(1).cached
    assert fresh(key="another").kernel(1).cached
    assert float(fresh(key="a third", function=lambda x: (sin(x) + 2,))(0.0)[0]) == 2.0
    assert len(list(private_cache.glob("*.kernel"))) == 2 and len(list(private_cache.glob("*.program"))) == 4


def test_the_folder_is_looked_through_now_and_then(private_cache, monkeypatch):
    """At the first file that a process writes, and again after a sixteenth of what may lie there."""
    trims = []
    monkeypatch.setattr(cache, "_trim", trims.append)
    monkeypatch.setattr(cache, "LARGEST", 1000 * cache.SLACK)
    for k in range(13):
        cache.write(f"entry{k}", bytes(300), "kernel")
    assert len(trims) == 1 + 3


@pytest.mark.parametrize("place", range(3))
def test_processors_differ_by_name_and_by_what_they_can(monkeypatch, place):
    """One image of a machine runs on many of them: code for one may stop another."""
    known = list(processor.features())
    assert all(x in processor.signature() for x in known)
    known[place] += "-another"
    monkeypatch.setattr(processor, "features", lambda: tuple(known))
    assert processor.signature.__wrapped__() != processor.signature()


@pytest.mark.parametrize(
    "damage",
    [
        lambda code: b"",
        lambda code: code[:-10],
        lambda code: code[:100] + b"\xcc" + code[101:],
        lambda code: b"x" * 5000,
    ],
)
def test_a_damaged_file_is_made_again(private_cache, damage):
    fresh()(0.0)
    (path,) = private_cache.glob("*.kernel")
    good = path.read_bytes()
    path.write_bytes(damage(good))
    again = fresh()
    assert float(again(0.0)[0]) == 1.0
    assert not again.kernel(1).cached
    assert path.read_bytes() == good


def test_the_folder_is_private(private_cache, tmp_path, monkeypatch):
    monkeypatch.setenv("STICTION_CACHE", str(tmp_path / "new" / "deeper"))
    fresh()(0.0)
    mode = stat.S_IMODE((tmp_path / "new" / "deeper").stat().st_mode)
    assert mode == 0o700


def test_a_folder_that_others_can_write_is_not_used(private_cache):
    private_cache.chmod(0o777)
    assert cache.folder() is None
    assert float(fresh()(0.0)[0]) == 1.0
    assert not list(private_cache.iterdir())


def test_an_unusable_folder_only_costs_time(tmp_path, monkeypatch):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    for place in (blocked, blocked / "below", ""):
        monkeypatch.setenv("STICTION_CACHE", str(place))
        assert cache.folder() is None
        assert float(fresh()(0.0)[0]) == 1.0


def test_the_size_is_bounded(private_cache, monkeypatch):
    monkeypatch.setattr(cache, "LARGEST", 10_000)
    for k in range(8):
        cache.write(f"entry{k}", bytes(3000), "kernel")
        os.utime(private_cache / f"entry{k}.kernel", (k, k))
    names = sorted(path.name for path in private_cache.iterdir())
    assert sum(path.stat().st_size for path in private_cache.iterdir()) <= 10_000
    assert "entry7.kernel" in names and "entry0.kernel" not in names
    assert cache.read("entry5", "kernel") is not None
    cache.write("entry8", bytes(3000), "kernel")
    assert (private_cache / "entry5.kernel").exists(), "it was used a moment ago"
    assert not (private_cache / "entry6.kernel").exists()


def test_many_processes_at_once(private_cache):
    code = (
        "import stiction, numpy as np; robot = stiction.library.puma560();"
        "print(robot.mass_matrix(np.full((9, 6), 0.3)).tobytes().hex()[:64]);"
        "print(robot.gravity_torque(np.zeros(6)).tobytes().hex())"
    )
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(6)]
    outputs = {process.communicate()[0] for process in running}
    assert all(process.returncode == 0 for process in running)
    assert len(outputs) == 1 and outputs.pop().strip()
    assert not list(private_cache.glob("*.part"))


@pytest.fixture
def package(tmp_path):
    """A copy of some of the package's sources, to be edited."""
    for folder in ("trace", "dynamics", "friction"):
        source = Path(stiction.__file__).parent / folder
        shutil.copytree(source, tmp_path / "package" / folder, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "package"


def edit(path, change):
    before = path.read_text()
    path.write_text(change(before))
    assert path.read_text() != before


def test_documentation_is_no_code(private_cache, package):
    before = digest_of(package)
    for path in package.rglob("*.py"):
        edit(path, lambda text: re.sub(r'^( *)"""(?=[A-Z])', r'\1"""Truly: ', text, flags=re.M) + "\n\n# a remark\n")
    edit(package / "trace" / "floats.py", lambda text: re.sub(r"#.*", "", text).replace("\n\n\n", "\n# moved\n\n\n\n"))
    assert digest_of(package) == before
    assert len(list(private_cache.glob("*.sources"))) == 2


@pytest.mark.parametrize(
    "file, old, new",
    [
        ("dynamics/energy.py", "start=0)) / 2", "start=0)) / 3"),
        ("friction/dry.py", "NEWTON_STEPS = 40", "NEWTON_STEPS = 41"),
    ],
)
def test_a_changed_number_is_other_code(private_cache, package, file, old, new):
    before = digest_of(package)
    edit(package / file, lambda text: text.replace(old, new))
    assert digest_of(package) != before


def test_files_and_versions_count(private_cache, package, monkeypatch):
    seen = {digest_of(package)}
    (package / "broken.py").write_text("this is no Python")
    seen.add(digest_of(package))
    (package / "broken.py").rename(package / "broken2.py")  # in the same place
    seen.add(digest_of(package))
    monkeypatch.setattr(stiction, "__version__", "9.9")
    seen.add(digest_of(package))
    assert len(seen) == 4


def test_sources_are_parsed_once(private_cache, package, monkeypatch):
    before = digest_of(package)
    (path,) = private_cache.glob("*.sources")
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", never)
    assert digest_of(package) == before
    monkeypatch.setattr(ast, "parse", parse)
    good = path.read_bytes()
    for damaged in (b"", good[:-1], good[:-1] + b"x"):
        path.write_bytes(damaged)
        assert digest_of(package) == before
        assert path.read_bytes() == good


def test_nothing_is_parsed_where_nothing_is_stored(package, monkeypatch):
    monkeypatch.setenv("STICTION_CACHE", "")
    monkeypatch.setattr(ast, "parse", never)
    before = digest_of(package)
    edit(package / "trace" / "floats.py", lambda text: text + "# a remark\n")
    assert digest_of(package) != before


def test_a_file_under_another_name_is_not_taken(private_cache):
    cache.write("one", b"what one is", "kernel")
    cache.write("two", b"what two is", "kernel")
    assert cache.read("one", "kernel") == b"what one is"
    (private_cache / "two.kernel").write_bytes((private_cache / "one.kernel").read_bytes())
    assert cache.read("two", "kernel") is None


def test_links_pipes_and_files_of_others_are_not_read(private_cache, tmp_path, monkeypatch):
    cache.write("one", b"mine", "kernel")
    real = private_cache / "one.kernel"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(real.read_bytes())
    real.unlink()
    real.symlink_to(elsewhere)
    assert cache.read("one", "kernel") is None
    real.unlink()
    os.mkfifo(real)
    assert cache.read("one", "kernel") is None
    real.unlink()
    cache.write("one", b"mine", "kernel")
    real.chmod(0o666)
    assert cache.read("one", "kernel") is None
    real.chmod(0o600)
    assert cache.read("one", "kernel") == b"mine"
    monkeypatch.setattr(os, "getuid", lambda: real.stat().st_uid + 1)
    assert cache.folder() is None
    monkeypatch.setattr(cache, "folder", lambda: private_cache)  # as if the folder were ours, and not the file
    assert cache.read("one", "kernel") is None
