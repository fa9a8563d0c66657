"""The JSON Schema of scene files."""

import tomllib

import jsonschema
import pytest

from stiction import write_scene
from stiction.files.schema import schema
from tests.scenes import EXAMPLES, GOOD, everything


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_the_schema_fits_what_is_read(path, tmp_path):
    jsonschema.validate(tomllib.loads(path.read_text()), schema())
    write_scene(tmp_path / "scene.toml", everything(), duration=0.1, step=1e-3)
    jsonschema.validate(tomllib.loads((tmp_path / "scene.toml").read_text()), schema())


@pytest.mark.parametrize(
    "old, new",
    [
        ("velocity = 0.01", "velocty = 0.01"),
        ("duration =", "duratoin = 1.0\nduration ="),
        ("duration =", 'method = {name = "moreau", pul = 0.1}\nduration ='),
    ],
    ids=["of a law", "of the scene", "of a method"],
)
def test_the_schema_knows_all_keys(old, new):
    text = "\n".join(line for line in GOOD.splitlines() if not line.startswith("method"))
    jsonschema.validate(tomllib.loads(text), schema())
    assert old in text
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text.replace(old, new, 1)), schema())
