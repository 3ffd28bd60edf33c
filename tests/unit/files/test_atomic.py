"""A replaced file is always the old one or the new one, and never over somebody's edit."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from totalrecall.errors import MemoryFileError
from totalrecall.files.atomic import ABSENT, TEMP_PREFIX, TEMP_SUFFIX, Conflict, Replaced, read_state, replace

LIMITED = """
    import resource, sys
    from pathlib import Path
    from totalrecall.errors import MemoryFileError
    from totalrecall.files.atomic import replace
    from totalrecall.files.append import append
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    what, path = sys.argv[1], Path(sys.argv[2])
    try:
        if what == "replace":
            replace(path, b"n" * 100_000, expected=None)
        else:
            append(path, b"n" * 100_000)
    except MemoryFileError as error:
        print(error.title)
        print(error.hint)
        sys.exit(3)
"""


def run_limited(what: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Write with room for 20,000 bytes only, in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(LIMITED), what, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


REPLACE_AS_NOBODY = """
    import os, sys
    from pathlib import Path
    from totalrecall.errors import MemoryFileError
    from totalrecall.files.atomic import replace
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)
    try:
        replace(Path(sys.argv[1]), b"new", expected=None)
    except MemoryFileError as error:
        print(error.title)
        sys.exit(3)
"""


def replace_as_nobody(path: Path) -> subprocess.CompletedProcess[str]:
    """Replace ``path`` without root's rights, in a process of its own."""
    for parent in (path.parents[1], *path.parents[2:4]):
        parent.chmod(0o755)
    command = [sys.executable, "-c", textwrap.dedent(REPLACE_AS_NOBODY), str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def names(folder: Path) -> list[str]:
    """What is in a folder."""
    return sorted(one.name for one in folder.iterdir())


def test_a_new_file_and_its_folders_are_private(tmp_path: Path) -> None:
    """New files get 0600 and new folders 0700, whatever the umask."""
    before = os.umask(0)
    try:
        done = replace(tmp_path / "a" / "b" / "notes.md", b"x", expected=ABSENT)
    finally:
        os.umask(before)
    assert isinstance(done, Replaced)
    assert done.created
    assert stat.S_IMODE((tmp_path / "a" / "b" / "notes.md").stat().st_mode) == 0o600
    assert [stat.S_IMODE((tmp_path / one).stat().st_mode) for one in ("a", "a/b")] == [0o700, 0o700]


def test_a_mode_is_kept(tmp_path: Path) -> None:
    """The mode that somebody gave a file stays."""
    path = tmp_path / "notes.md"
    path.write_bytes(b"old")
    path.chmod(0o664)
    replace(path, b"new", expected=read_state(path))
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_an_edit_in_between_wins(tmp_path: Path) -> None:
    """A file that is no longer what was read is left alone, and what stands there now is returned."""
    path = tmp_path / "notes.md"
    path.write_bytes(b"old")
    read = read_state(path)
    path.write_bytes(b"edited")
    result = replace(path, b"new", expected=read)
    assert result == Conflict(read_state(path))
    assert path.read_bytes() == b"edited"
    assert names(tmp_path) == ["notes.md"]


def test_a_file_that_came_or_went_is_a_conflict(tmp_path: Path) -> None:
    """Absence is compared too, both ways."""
    path = tmp_path / "notes.md"
    absent = read_state(path)
    assert absent == ABSENT
    path.write_bytes(b"")
    assert isinstance(replace(path, b"new", expected=absent), Conflict)
    empty = read_state(path)
    assert empty != absent
    path.unlink()
    assert replace(path, b"new", expected=empty) == Conflict(ABSENT)
    assert names(tmp_path) == []


def test_the_state_returned_fits_the_next_write(tmp_path: Path) -> None:
    """One write's state is the next one's expectation."""
    path = tmp_path / "notes.md"
    first = replace(path, b"1", expected=ABSENT)
    assert isinstance(first, Replaced)
    assert isinstance(replace(path, b"2", expected=first.state), Replaced)
    assert path.read_bytes() == b"2"


@pytest.mark.parametrize("exists", [True, False], ids=["there", "dangling"])
def test_a_link_is_followed(tmp_path: Path, *, exists: bool) -> None:
    """A link stays a link, also one to a file that does not exist yet."""
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "notes.md"
    if exists:
        target.write_bytes(b"old")
    link = tmp_path / "link.md"
    link.symlink_to(target)
    done = replace(link, b"new", expected=None)
    assert isinstance(done, Replaced)
    assert done.path == target
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names(tmp_path / "real") == ["notes.md"]


def test_a_link_into_a_missing_folder_is_refused(tmp_path: Path) -> None:
    """The folder may be a disk that is not mounted: it is not made."""
    link = tmp_path / "link.md"
    link.symlink_to(tmp_path / "disk" / "notes.md")
    with pytest.raises(MemoryFileError, match="folder does not exist"):
        replace(link, b"new", expected=None)
    assert names(tmp_path) == ["link.md"]


def test_links_in_a_circle_are_an_error(tmp_path: Path) -> None:
    """A circle of links is told, not followed for ever."""
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(MemoryFileError, match="circle"):
        replace(tmp_path / "a", b"new", expected=None)
    with pytest.raises(MemoryFileError, match="circle"):
        read_state(tmp_path / "a")


def test_hard_links_are_told(tmp_path: Path) -> None:
    """Other names of the old file keep the old content; the result says how many there are."""
    path = tmp_path / "notes.md"
    path.write_bytes(b"old")
    os.link(path, tmp_path / "other.md")
    done = replace(path, b"new", expected=None)
    assert isinstance(done, Replaced)
    assert done.other_links == 1
    assert (tmp_path / "other.md").read_bytes() == b"old"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """A folder or a named pipe is neither read nor replaced, and a pipe does not block."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(MemoryFileError, match="Cannot read"):
            read_state(tmp_path / name)
        with pytest.raises(MemoryFileError, match="Cannot write"):
            replace(tmp_path / name, b"new", expected=None)
    assert names(tmp_path) == ["folder", "pipe"]


@pytest.mark.report("R082")
def test_no_room_leaves_the_file_whole(tmp_path: Path) -> None:
    """When the bytes do not fit, the old file stands untouched, no temporary file is left, and why is said."""
    path = tmp_path / "notes.md"
    path.write_bytes(b"old\n" * 3000)
    done = run_limited("replace", path)
    assert done.returncode == 3, done.stderr
    assert "Cannot write" in done.stdout
    assert "Nothing was changed" in done.stdout
    assert path.read_bytes() == b"old\n" * 3000
    assert names(tmp_path) == ["notes.md"]


@pytest.mark.report("R082")
def test_a_full_disk_leaves_the_file_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ENOSPC and EIO at any write or sync: the old file stands, no temporary file is left, the remedy is said."""
    path = tmp_path / "notes.md"
    path.write_bytes(b"old")
    cases = (("write", errno.ENOSPC, "Make room"), ("fsync", errno.EIO, "check the disk"))
    for call, code, remedy in cases:

        def fails(*_: object, code: int = code) -> int:
            raise OSError(code, os.strerror(code))

        with monkeypatch.context() as patch:
            patch.setattr(os, call, fails)
            with pytest.raises(MemoryFileError) as caught:
                replace(path, b"new", expected=None)
        assert remedy in caught.value.hint
        assert path.read_bytes() == b"old"
        assert names(tmp_path) == ["notes.md"]


@pytest.mark.report("R082")
def test_a_read_only_folder_is_an_error_and_changes_nothing(tmp_path: Path) -> None:
    """Without the right to write into the folder, the file stays and the title says why."""
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "notes.md").write_bytes(b"old")
    (folder / "notes.md").chmod(0o666)
    folder.chmod(0o555)
    done = replace_as_nobody(folder / "notes.md")
    assert done.returncode == 3, done.stderr
    assert "permission denied" in done.stdout
    assert (folder / "notes.md").read_bytes() == b"old"
    assert names(folder) == ["notes.md"]
    folder.chmod(0o755)


def test_a_read_only_file_is_respected(tmp_path: Path) -> None:
    """Who makes a file read-only means it, though the folder would allow a replacement."""
    folder = tmp_path / "memory"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "notes.md").write_bytes(b"old")
    (folder / "notes.md").chmod(0o444)
    done = replace_as_nobody(folder / "notes.md")
    assert done.returncode == 3, done.stderr
    assert (folder / "notes.md").read_bytes() == b"old"


@pytest.mark.report("R082")
def test_leftovers_of_dead_runs_are_swept_when_old(tmp_path: Path) -> None:
    """A temporary file of a run that died goes after an hour; a fresh one may be somebody's, and other files stay."""
    old = tmp_path / f"{TEMP_PREFIX}1-aa{TEMP_SUFFIX}"
    fresh = tmp_path / f"{TEMP_PREFIX}2-bb{TEMP_SUFFIX}"
    other = tmp_path / "somebody.tmp"
    for one in (old, fresh, other):
        one.write_bytes(b"x")
    for one in (old, other):
        age = one.stat().st_mtime - 7200
        os.utime(one, (age, age))
    replace(tmp_path / "notes.md", b"new", expected=None)
    assert names(tmp_path) == sorted([fresh.name, "notes.md", "somebody.tmp"])


@pytest.mark.report("R082")
def test_a_killed_writer_leaves_the_old_file(tmp_path: Path) -> None:
    """A process that ends before the replacement leaves the old file, and a leftover that is hidden."""
    path = tmp_path / "notes.md"
    path.write_bytes(b"old")
    code = """
        import os, sys
        from pathlib import Path
        from totalrecall.files import atomic
        atomic.sync_file = lambda fd: os._exit(9)
        atomic.replace(Path(sys.argv[1]), b"new" * 1000, expected=None)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(path)]
    assert subprocess.run(command, check=False).returncode == 9
    assert path.read_bytes() == b"old"
    left = [one for one in names(tmp_path) if one != "notes.md"]
    assert len(left) == 1
    assert left[0].startswith(TEMP_PREFIX)


def test_readers_see_whole_files_only(tmp_path: Path) -> None:
    """While a file is replaced again and again, a reader sees one version or the other."""
    path = tmp_path / "notes.md"
    path.write_bytes(b"a" * 50_000)
    seen: set[bytes] = set()
    stop = threading.Event()

    def read() -> None:
        while not stop.is_set():
            content = path.read_bytes()
            seen.add(content[:1] if content == content[:1] * 50_000 else b"torn")

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for turn in range(60):
            replace(path, (b"a", b"b")[turn % 2] * 50_000, expected=None)
    finally:
        stop.set()
        reader.join()
    assert seen <= {b"a", b"b"}
