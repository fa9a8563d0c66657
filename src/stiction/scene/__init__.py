"""What users describe: scenes, formulas and tables."""

from stiction.scene.formula import Formula, FormulaError
from stiction.scene.scene import FrictionSite, Scene, SceneError
from stiction.scene.table import Table

__all__ = ["Formula", "FormulaError", "FrictionSite", "Scene", "SceneError", "Table"]
