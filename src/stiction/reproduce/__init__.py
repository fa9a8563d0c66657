"""The papers' experiments, run again: claims, verdicts and figures."""

from stiction.reproduce import arm, closed_forms, contact_forms, gears, gears_contact, lugre, manutec, network, pendulum
from stiction.reproduce.case import Case, Claim

CASES: dict[str, Case] = {
    name: case
    for room in (network, lugre, closed_forms, contact_forms, gears, gears_contact, arm, manutec, pendulum)
    for name, case in room.CASES.items()
}

ALIASES = {"gears-scaling": "gears-3"}  # older names

__all__ = ["ALIASES", "CASES", "Case", "Claim"]
