"""Where the data that belong to lusory lie: schemas, bundled rulesets, pages about diagnostics.

In a checkout they are folders of the repository; in an installed wheel they lie under ``lusory/_data``, beside this
package. Used by the structure stage, the loader and the commands.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
TEMPLATES = "templates"
"""The folder among the rulesets that holds what new ones are made from."""

_IN_CHECKOUT = {"schema": "schema", "rulesets": "rulesets", "diagnostics": "docs/diagnostics"}


def data(name: str) -> Path:
    """The folder of ``name``: ``schema``, ``rulesets`` or ``diagnostics``. Raises FileNotFoundError without one."""
    candidates = [_PACKAGE.parent / "lusory" / "_data" / name, _PACKAGE.parents[1] / _IN_CHECKOUT[name]]
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the installation of lusory has no folder {name!r}")


def text_of(file: Path) -> str:
    """The text of one of these files. They are as trusted as the code, and may be links, as installers make them."""
    return file.read_text(encoding="utf-8")


def package_text(package: str, *names: str) -> str:
    """Return the text of a file that lies in a package, by its path from there."""
    return files(package).joinpath(*names).read_text(encoding="utf-8")


def files_under(folder: Path) -> list[Path]:
    """All files in one of these folders, by name."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def bundled_packs() -> dict[str, Path]:
    """The packs that come with lusory, to be laid over a bundled ruleset: name of the folder -> folder, by name."""
    folders = (data("rulesets") / "packs").glob("*/")
    return {folder.name: folder for folder in sorted(folders) if any(folder.glob("*.yaml"))}


def bundled_rulesets() -> dict[str, Path]:
    """The rulesets that come with lusory: name of the folder -> folder, by name."""
    root = data("rulesets")
    folders = {path.parent for path in root.rglob("ruleset.yaml") if path.relative_to(root).parts[0] != TEMPLATES}
    return {folder.name: folder for folder in sorted(folders, key=lambda folder: folder.name)}


def bundled_template() -> Path:
    """The folder of the ruleset that a new one begins as."""
    [folder] = (path.parent for path in (data("rulesets") / TEMPLATES).glob("*/ruleset.yaml"))
    return folder
