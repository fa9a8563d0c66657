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
    wrong = tomllib.loads(GOOD.replace("velocity = 0.01", "velocty = 0.01"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, schema())
