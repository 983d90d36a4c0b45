"""The installation: the commands of the README, the pinned versions and the contents of the wheel."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest
from programs import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BUILD = PROJECT["tool"]["hatch"]["build"]["targets"]


def _read_constraints() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {_normalize(name): version for name, version in pins}


def _normalize(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_readme_command_is_the_one_of_the_ci_script() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    gates = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    commands = [line for line in readme.splitlines() if line.startswith("python3 -m venv") and "pytest" in line]

    assert len(commands) == 1
    assert gates.rstrip().endswith(commands[0])


def test_every_dependency_is_pinned() -> None:
    requirements = [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["dev"]]
    names = [_normalize(match.group()) for text in requirements if (match := re.match(r"[A-Za-z0-9_.-]+", text))]

    assert set(names) <= set(_read_constraints())


def test_pins_satisfy_the_declared_minimum() -> None:
    for text in [*PROJECT["project"]["dependencies"], *PROJECT["project"]["optional-dependencies"]["dev"]]:
        name, _, minimum = text.partition(">=")
        if minimum:
            assert _parse_version(_read_constraints()[_normalize(name)]) >= _parse_version(minimum), text


def _parse_version(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdigit()]


@pytest.mark.parametrize("name", ["constraints.txt", ".ci/run", "pyproject.toml"])
def test_no_package_index_is_named(name: str) -> None:
    """The package index is a setting of each machine."""
    text = (ROOT / name).read_text(encoding="utf-8")

    assert not re.search(r"https?://|--index-url|--extra-index-url|--find-links", text)


def test_there_is_no_lock_file() -> None:
    assert not list(ROOT.glob("*.lock"))


def test_the_ci_script_is_executable() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


@pytest.mark.parametrize("folder", BUILD["wheel"]["force-include"])
def test_data_folders_of_the_wheel_exist(folder: str) -> None:
    assert any((ROOT / folder).iterdir())


@pytest.mark.parametrize("entry", BUILD["sdist"]["include"])
def test_entries_of_the_source_archive_exist(entry: str) -> None:
    assert (ROOT / entry.lstrip("/")).exists()


@pytest.mark.parametrize("package", BUILD["wheel"]["packages"])
def test_packages_are_marked_as_typed(package: str) -> None:
    assert (ROOT / package / "py.typed").exists()


@pytest.mark.skipif("LUSORY_WHEEL" not in os.environ, reason="no wheel given; .ci/run builds one and sets LUSORY_WHEEL")
def test_the_wheel_contains_every_tracked_file() -> None:
    """The release then works like a checkout."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\n")
    targets = {
        **{package: Path(package).name for package in BUILD["wheel"]["packages"]},
        **BUILD["wheel"]["force-include"],
    }
    expected = {
        f"{target}{name.removeprefix(source)}"
        for name in files
        for source, target in targets.items()
        if name.startswith(f"{source}/")
    }
    with ZipFile(os.environ["LUSORY_WHEEL"]) as wheel:
        contents = set(wheel.namelist())

    assert expected <= contents
    assert {name.split("/")[0].split("-")[0] for name in contents} == {"lusory", "lusory_dsl"}
