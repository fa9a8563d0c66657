"""Draw the figures of the documentation: those of the examples, and those of the quickstarts, by their own code.

.venv/bin/python tools/figures.py [NAME ...]      writes docs/figures/NAME.png
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).parent.parent
FIGURES = ROOT / "docs/figures"
QUICKSTARTS = {  # figures that the code of a page draws, and what they are called in the documentation
    "arm": {"arm.png": "quickstart_arm", "hunting.png": "quickstart_hunting"},
    "friction": {"belt.png": "quickstart_belt"},
    "student": {"double_pendulum.png": "quickstart_student", "ellipses.png": "quickstart_ellipses"},
    "many": {"many.png": "quickstart_many"},
}
COLORS = 96  # of a figure: lines on white need no more, and the pages stay small


def kept(drawn: Path, name: str) -> None:
    """Put a figure where the pages find it."""
    with Image.open(drawn) as picture:
        picture.convert("RGB").quantize(COLORS).save(FIGURES / f"{name}.png", optimize=True)
    print(f"docs/figures/{name}.png")


def example(source: Path, folder: Path) -> None:
    """The figure of an example."""
    if source.suffix == ".toml":
        command = [Path(sys.executable).parent / "stiction", "run", source, "--figure", folder / f"{source.stem}.png"]
    else:
        command = [sys.executable, source]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    kept(folder / f"{source.stem}.png", source.stem)


def quickstart(page: str, folder: Path) -> None:
    """The figures that the code of a quickstart draws."""
    text = (ROOT / "docs/quickstart" / f"{page}.md").read_text(encoding="utf-8")
    code = "\n".join(re.findall(r"```python\n(.*?)```", text, re.S))
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    for drawn, name in QUICKSTARTS[page].items():
        kept(folder / drawn, name)


def main() -> None:
    """Those that are named, or all."""
    wanted = sys.argv[1:]
    FIGURES.mkdir(exist_ok=True)
    sources = {path.stem: path for path in sorted((ROOT / "examples").glob("*.*")) if path.suffix in (".py", ".toml")}
    with tempfile.TemporaryDirectory() as folder:
        for name, source in sources.items():
            if not wanted or name in wanted:
                example(source, Path(folder))
        for page in QUICKSTARTS:
            if not wanted or f"quickstart_{page}" in wanted:
                quickstart(page, Path(folder))


if __name__ == "__main__":
    main()
