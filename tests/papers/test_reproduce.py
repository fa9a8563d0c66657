"""Every claim of every reproduced experiment."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from stiction.reproduce import CASES

COMMAND = Path(sys.executable).parent / "stiction"


@pytest.mark.parametrize("name", CASES)
def test_claims_hold(name, tmp_path):
    claims, draw = CASES[name].run(True, lambda part: None)
    assert claims
    for claim in claims:
        assert claim.holds is not False, claim
    draw().savefig(tmp_path / "figure.png")
    assert (tmp_path / "figure.png").stat().st_size > 10_000


def test_command(tmp_path):
    listed = subprocess.run([COMMAND, "reproduce"], capture_output=True, text=True)
    assert listed.returncode == 0 and all(name in listed.stdout for name in CASES)
    run = subprocess.run([COMMAND, "reproduce", "network-2", "--out", tmp_path], capture_output=True, text=True)
    assert run.returncode == 0 and "verdict" in run.stdout and "FAILS" not in run.stdout
    assert (tmp_path / "network-2.png").exists()
    printed = subprocess.run([COMMAND, "reproduce", "lugre-2", "--json"], capture_output=True, text=True)
    assert all(claim["holds"] for claim in json.loads(printed.stdout)["lugre-2"])
    wrong = subprocess.run([COMMAND, "reproduce", "network-9"], capture_output=True, text=True)
    assert wrong.returncode == 1 and "network-1" in wrong.stderr
