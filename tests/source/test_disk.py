"""Test file access: reading is limited to plain files of bounded size inside their folder, and writing is atomic."""

from __future__ import annotations

import errno
import os
import signal
import socket
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lusory_dsl.source import diagnostic_codes, safe_files_and_bundled_data
from lusory_dsl.source.diagnostics import Code
from lusory_dsl.source.safe_files_and_bundled_data import (
    FileRefused,
    explain_unwritable_folder,
    list_files,
    list_sibling_names,
    read_bytes,
    read_text,
    walk_folders,
    write_atomically,
)

needs_links = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes among its files")


@pytest.fixture(autouse=True)
def time_limit() -> Iterator[None]:
    """Fail a test that blocks, for example because it waits for a writer of a pipe."""

    def fail_late(*_: object) -> None:
        pytest.fail("it waits")

    before = signal.signal(signal.SIGALRM, fail_late)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """Return a folder with one file. A secret file lies beside the folder."""
    (tmp_path / "game" / "cards").mkdir(parents=True)
    (tmp_path / "game" / "a.yaml").write_text("a: 1\n")
    (tmp_path / "secret").write_text("password\n")
    return tmp_path / "game"


def create_socket(path: Path) -> None:
    # the name of a socket must be short
    os.chdir(path.parent)
    with socket.socket(socket.AF_UNIX) as file:
        file.bind(path.name)


def create_sparse_file(path: Path) -> None:
    path.touch()
    os.truncate(path, 10**12)


ODD_FILES: dict[str, tuple[Callable[[Path], object], Code]] = {
    "pipe": (lambda path: os.mkfifo(path), diagnostic_codes.NOT_A_FILE),
    "socket": (create_socket, diagnostic_codes.NOT_A_FILE),
    "folder": (lambda path: path.mkdir(), diagnostic_codes.NOT_A_FILE),
    "link to an endless device": (lambda path: path.symlink_to("/dev/zero"), diagnostic_codes.LINK_OUTSIDE),
    "link out of the folder": (lambda path: path.symlink_to("../../secret"), diagnostic_codes.LINK_OUTSIDE),
    "link in a circle": (lambda path: path.symlink_to(path.name), diagnostic_codes.NOTHING_TO_READ),
    "link to nowhere": (lambda path: path.symlink_to("gone"), diagnostic_codes.NOTHING_TO_READ),
    "link to nowhere outside": (lambda path: path.symlink_to("../../gone"), diagnostic_codes.NOTHING_TO_READ),
    "large file": (lambda path: path.write_bytes(b"x" * 101), diagnostic_codes.TOO_LARGE),
    "file with a hole": (create_sparse_file, diagnostic_codes.TOO_LARGE),
    "nothing": (lambda path: None, diagnostic_codes.NOTHING_TO_READ),
}


@needs_links
@pytest.mark.parametrize("kind", ODD_FILES)
def test_only_plain_files_inside_their_folder_are_read(kind: str, game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(game)
    make, code = ODD_FILES[kind]
    make(game / "cards" / "x.yaml")

    with pytest.raises(FileRefused) as problem:
        read_bytes(game / "cards" / "x.yaml", 100)
    assert problem.value.code is code
    assert problem.value.filename == str(game / "cards" / "x.yaml")


@needs_links
def test_odd_files_are_not_opened(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening some devices has side effects."""
    os.mkfifo(game / "x")
    monkeypatch.setattr(os, "open", lambda *_: pytest.fail("it was opened"))

    with pytest.raises(FileRefused):
        read_bytes(game / "x")


@needs_links
@pytest.mark.parametrize("kind", ["pipe", "link out of the folder", "file with a hole"])
def test_file_replaced_before_opening_is_refused(kind: str, game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe must not block the reader, a link must not be followed, and a large file must not be read."""
    file, get_status = game / "cards" / "x.yaml", os.stat
    file.write_text("a: 1\n")
    make, _ = ODD_FILES[kind]

    def replace_and_open(path: str) -> os.stat_result:
        status = get_status(path)
        monkeypatch.undo()
        file.unlink()
        make(file)
        return status

    monkeypatch.setattr(os, "stat", replace_and_open)
    with pytest.raises(FileRefused):
        read_bytes(file)


def test_growing_file_is_read_up_to_a_limit(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def read_endlessly(handle: int, number: int) -> bytes:
        sizes.append(number)
        return b"x" * number

    monkeypatch.setattr(os, "read", read_endlessly)

    with pytest.raises(FileRefused) as problem:
        read_bytes(game / "a.yaml", 5_000_000)
    assert problem.value.code is diagnostic_codes.TOO_LARGE
    assert sum(sizes) == 5_000_001


@needs_links
def test_links_inside_a_folder_are_followed(game: Path, tmp_path: Path) -> None:
    (game / "cards" / "b.yaml").symlink_to("../a.yaml")
    (tmp_path / "link").symlink_to("game")

    for name in ("game/cards/b.yaml", "link/cards/b.yaml", "link/a.yaml"):
        assert read_text(tmp_path / name) == "a: 1\n"


@needs_links
def test_link_to_nowhere_is_no_suggestion_for_itself(game: Path) -> None:
    (game / "b.yaml").symlink_to("gone")
    assert sorted(list_sibling_names(game / "b.yaml")) == ["a.yaml", "cards"]


@needs_links
def test_linked_folder_outside_a_ruleset_is_not_read(game: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.yaml").write_text("a: 1\n")
    (game / "cases").symlink_to("../other")

    with pytest.raises(FileRefused) as problem:
        list_files(game / "cases", ".yaml")
    assert problem.value.code is diagnostic_codes.LINK_OUTSIDE
    with pytest.raises(FileRefused):
        read_bytes(game / "cases" / "x.yaml")


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "x" * 5000])
def test_impossible_file_names_are_refused(name: str, game: Path) -> None:
    with pytest.raises(FileRefused):
        read_bytes(game / name)


def test_list_files_in_a_folder(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("c.yaml", "b.yaml", ".hidden.yaml", "d.yml", "e.txt"):
        (game / name).write_text("")

    assert [file.name for file in list_files(game, ".yaml")] == ["a.yaml", "b.yaml", "c.yaml"]
    assert [file.name for file in list_files(game, ".txt", ".yml")] == ["d.yml", "e.txt"]
    assert list_files(game / "nothing", ".yaml") == []
    monkeypatch.setattr(safe_files_and_bundled_data, "MAX_FILES", 2)
    with pytest.raises(FileRefused) as problem:
        list_files(game, ".yaml")
    assert problem.value.code is diagnostic_codes.TOO_LARGE


def test_list_folders_under_a_folder(game: Path, tmp_path: Path) -> None:
    (tmp_path / "game" / ".hidden").mkdir()
    (tmp_path / "game" / "cases").mkdir()

    assert [folder.name for folder in walk_folders(game, 3, 1)] == ["game", "cards", "cases"]
    for limits in ((2, 1), (3, 0)):
        with pytest.raises(FileRefused) as problem:
            list(walk_folders(game, *limits))
        assert problem.value.code is diagnostic_codes.TOO_LARGE


# ---------------------------------------------------------------- writing


def test_written_file_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "new"
    write_atomically(file, "ä\r\n")
    assert file.read_bytes() == b"\xc3\xa4\r\n"
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~umask

    file.chmod(0o640)
    write_atomically(file, b"x")
    assert file.read_bytes() == b"x"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [path.name for path in file.parent.iterdir()] == ["new"]


@pytest.mark.parametrize("call", ["write", "fsync", "replace"])
def test_full_disk_keeps_the_old_file(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.write_text("before")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    if call == "write":
        full_file = os.fdopen(os.open("/dev/full", os.O_WRONLY), "wb")
        monkeypatch.setattr(os, "fdopen", lambda handle, _: (os.close(handle), full_file)[1])
    else:
        monkeypatch.setattr(os, call, fail)
    for target in (file, tmp_path / "new"):
        with pytest.raises(OSError) as problem:
            write_atomically(target, "after")
        assert problem.value.filename == str(target) or call == "write"
        if call == "write":
            break
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file": "before"}


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_ctrl_c_while_a_file_is_written_leaves_the_old_file(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "file"
    file.write_text("before")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, step, interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(file, "after")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"file": "before"}


def test_write_error_names_the_target(tmp_path: Path) -> None:
    """The temporary file is not named."""
    target = tmp_path / "missing" / "a.yaml"
    with pytest.raises(FileNotFoundError) as problem:
        write_atomically(target, "a: 1\n")
    assert problem.value.filename == str(target)
    assert str(problem.value).endswith(f": {str(target)!r}")


@needs_links
def test_planted_link_is_not_written_through(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds even if an attacker guesses the name of the temporary file."""
    monkeypatch.setattr("os.urandom", lambda _: b"guessed")
    (game / f".lusory-{b'guessed'.hex()}.yaml").symlink_to("../secret")

    with pytest.raises(FileExistsError):
        write_atomically(game / "a.yaml", "a: 2\n")
    assert (game / "../secret").read_text() == "password\n"
    assert (game / "a.yaml").read_text() == "a: 1\n"


@needs_links
def test_broken_link_is_no_folder_to_write_to(tmp_path: Path) -> None:
    link = tmp_path / "found"
    link.symlink_to(tmp_path / "nowhere")
    assert explain_unwritable_folder(link) == explain_unwritable_folder(link / "deeper") == f"`{link}` is no folder"
    assert explain_unwritable_folder(tmp_path / "new" / "deeper") == ""


def test_a_folder_that_may_not_be_searched_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, get_status = tmp_path / "closed", Path.stat
    folder.mkdir()

    def refuse(path: Path, **options: bool) -> os.stat_result:
        if folder in path.parents:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return get_status(path, **options)

    monkeypatch.setattr(Path, "stat", refuse)
    monkeypatch.setattr(os, "access", lambda path, mode: path != folder or not mode & os.X_OK)
    reason = f"`{folder}` may not be written"
    assert {explain_unwritable_folder(path) for path in (folder, folder / "new", folder / "a" / "b")} == {reason}


@needs_links
def test_pipes_and_devices_are_written_directly(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(tmp_path / "pipe", "text")

    assert os.read(reader, 100) == b"text"
    os.close(reader)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
