"""The user's folders: their locations and permissions."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from lusory.support.cache import find_default_cache
from lusory.support.user_folders_private_files_and_locks import (
    get_cache_folder,
    get_data_folder,
    get_state_folder,
    make_private,
    write_private,
)

FOLDERS = pytest.mark.parametrize(
    ("kind", "find", "usual"),
    [
        ("DATA", get_data_folder, ".local/share/lusory"),
        ("STATE", get_state_folder, ".local/state/lusory"),
        ("CACHE", get_cache_folder, ".cache/lusory"),
    ],
)
pytestmark = pytest.mark.skipif(os.name != "posix" or os.uname().sysname == "Darwin", reason="XDG folders")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    for kind in ("DATA", "STATE", "CACHE"):
        monkeypatch.delenv(f"XDG_{kind}_HOME", raising=False)
    monkeypatch.delenv("LUSORY_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    before = os.umask(0o022)
    yield tmp_path
    os.umask(before)


def get_mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@FOLDERS
def test_a_folder_is_named_by_its_variable(
    kind: str, find: Callable[[], Path], usual: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert find() == home / usual
    monkeypatch.setenv(f"XDG_{kind}_HOME", "/elsewhere")
    assert find() == Path("/elsewhere/lusory")
    monkeypatch.setenv(f"XDG_{kind}_HOME", "not/whole")
    assert find() == home / usual


def test_lusory_cache_sets_the_cache_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = find_default_cache()
    assert cache is not None and cache.folder == home / ".cache/lusory"
    monkeypatch.setenv("LUSORY_CACHE", str(home / "own"))
    cache = find_default_cache()
    assert cache is not None and cache.folder == home / "own"


def test_without_a_home_there_is_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(user: int) -> NoReturn:
        raise KeyError(user)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", fail)
    with pytest.raises(FileNotFoundError):
        get_data_folder()
    assert find_default_cache() is None


def test_new_folders_and_files_are_private(home: Path) -> None:
    folder = make_private(get_state_folder() / "journals")
    write_private(folder / "one", "words")
    folders = (folder, folder.parent, home / ".local/state", home / ".local")
    assert [get_mode(path) for path in folders] == [0o700] * 4
    assert get_mode(folder / "one") == 0o600


def test_too_wide_permissions_are_narrowed(home: Path) -> None:
    folder = get_state_folder() / "journals"
    folder.mkdir(parents=True)
    (folder / "one").write_text("words")
    make_private(folder)
    write_private(folder / "one", "other words")
    assert [get_mode(path) for path in (folder, folder.parent, folder / "one")] == [0o700, 0o700, 0o600]
    assert get_mode(home / ".local") == 0o755  # not a folder of lusory


@pytest.mark.parametrize("wide", ["lusory", "lusory/journals"])
def test_a_folder_that_others_can_write_to_is_refused(wide: str, home: Path) -> None:
    folder = make_private(get_state_folder() / "journals")
    (home / ".local/state" / wide).chmod(0o777)
    with pytest.raises(PermissionError, match="others can write"):
        make_private(folder)


def test_a_file_in_place_of_a_private_folder_is_refused(home: Path) -> None:
    file = make_private(get_state_folder()) / "journals"
    file.write_text("words")
    file.chmod(0o644)
    with pytest.raises(FileExistsError):
        make_private(file)
    assert get_mode(file) == 0o644


def test_files_outside_the_folders_have_default_permissions(home: Path) -> None:
    write_private(home / "saved.json", "{}")
    assert get_mode(home / "saved.json") == 0o644
