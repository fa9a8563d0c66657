"""What should be known of the contacts of a run."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from stiction.network.network import Network
from stiction.parts.contact import contact_name

NOTED = 1e-4  # m/s that contacts may contradict each other


def contact_notes(network: Network, kept: Mapping[str, np.ndarray]) -> list[str]:
    """What should be known of the contacts of a run."""
    part: Any = network.parts.get(contact_name(network))
    if part is None:
        return []
    found, wanted, worst = [], int(np.max(kept["contacts_wanted"])), float(np.max(kept["contact_residual"]))
    if wanted > part.most:
        found.append(
            f"up to {wanted} contacts were near at once, and {part.most} may act: those farther away did not; "
            f"give Contacts(most={wanted})"
        )
    if worst > NOTED:
        found.append(
            f"contacts contradicted each other by up to {worst:.3g} m/s in one step (signal 'contact_residual'); "
            "take a smaller step"
        )
    return found
