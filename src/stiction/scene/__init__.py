"""What users describe: scenes, and formulas."""

from stiction.scene.formula import Formula, FormulaError
from stiction.scene.scene import FrictionSite, Scene, SceneError

__all__ = ["Formula", "FormulaError", "FrictionSite", "Scene", "SceneError"]
