"""The papers' experiments, run again: claims, verdicts and figures."""

from stiction.reproduce import closed_forms, gears, lugre, manutec, network
from stiction.reproduce.case import Case, Claim

CASES: dict[str, Case] = network.CASES | lugre.CASES | closed_forms.CASES | gears.CASES | manutec.CASES

__all__ = ["CASES", "Case", "Claim"]
