"""How the API pages read our docstrings: an extension of Griffe, which mkdocstrings uses."""

import re

from griffe import Attribute, Docstring, ExprCall, ExprKeyword, Extension, Object

RULE_FIRST = ("instance", "instances", "choice", "matrix")  # fields that say first what they take, then the default


class HouseStyle(Extension):
    """`Example:` is a section whose doctest is shown as code; fields show their default, not their rules."""

    def on_object(self, *, obj: Object, **_: object) -> None:
        """Griffe only knows the plural."""
        if isinstance(obj.docstring, Docstring):
            obj.docstring.value = re.sub(r"(?m)^Example:\s*$", "Examples:", obj.docstring.value)

    def on_attribute_instance(self, *, attr: Attribute, **_: object) -> None:
        """`number(0.5, least=0)` is 0.5 to the reader."""
        value = attr.value
        if isinstance(value, ExprCall) and value.canonical_path.startswith("stiction.fields."):
            first = 1 if value.canonical_path.rpartition(".")[2] in RULE_FIRST else 0
            given = [a for a in value.arguments if not isinstance(a, ExprKeyword)][first:]
            given += [a.value for a in value.arguments if isinstance(a, ExprKeyword) and a.name == "default"]
            attr.value = given[0] if given else None
