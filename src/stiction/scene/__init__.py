"""What users describe: scenes, and formulas."""

from stiction.scene.formula import Formula, FormulaError
from stiction.scene.friction_site import FrictionSite, SceneError
from stiction.scene.scene import Scene

__all__ = ["Formula", "FormulaError", "FrictionSite", "Scene", "SceneError"]
