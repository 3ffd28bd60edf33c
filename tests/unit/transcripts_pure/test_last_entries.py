"""The hash of a transcript's last entries, read backwards in bounded memory."""

from __future__ import annotations

from totalrecall.transcripts.last_entries import WINDOW_BYTES, end_of_entries, hash_of, last_lines_hash


class Transcript:
    """Bytes that remember how much of them was read."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.read_bytes = 0

    def read_at(self, offset: int, size: int) -> bytes:
        """As ``os.pread``, with the arguments in the order that the stores use."""
        self.read_bytes += size
        return self.content[offset : offset + size]

    def last(self, end: int | None = None) -> str:
        """The hash before ``end``, or of the whole."""
        where = end_of_entries(self.read_at, len(self.content)) if end is None else end
        return last_lines_hash(self.read_at, where)


def lines(first: int, last: int) -> list[bytes]:
    """Entries of a transcript."""
    return [b'{"n": %d}' % number for number in range(first, last + 1)]


def test_only_the_last_fifty_count() -> None:
    """What stands before them may change; one of them may not; blank lines are none."""
    whole = Transcript(b"\n".join(lines(1, 80)) + b"\n")
    assert whole.last() == hash_of(lines(31, 80))
    assert Transcript(b"\n\n".join(lines(31, 80)) + b"\n \n").last() == whole.last()
    assert Transcript(b"\n".join(lines(32, 80)) + b"\n").last() != whole.last()


def test_an_unfinished_last_line_does_not_count_and_a_finished_one_does() -> None:
    """Half a record is being written; a whole one only lacks its newline."""
    text = b"\n".join(lines(1, 3)) + b"\n"
    assert Transcript(text + b'{"n": 4').last() == Transcript(text).last()
    assert Transcript(text + b'{"n": 4}').last() == hash_of(lines(1, 4))
    assert Transcript(text + b'{"n": 4}\n').last() == hash_of(lines(1, 4))


def test_a_long_transcript_is_not_read_whole() -> None:
    """A tail of a few kilobytes is enough for short entries, and some MiB for the longest."""
    long = Transcript(b"\n".join(lines(1, 400_000)) + b"\n")
    assert long.last() == hash_of(lines(399_951, 400_000))
    assert long.read_bytes < 2 * WINDOW_BYTES
    pictures = Transcript(b"\n".join(b'{"p": "%s"}' % (b"x" * 300_000) for _ in range(60)) + b"\n")
    assert pictures.last()
    assert pictures.read_bytes < 4 * WINDOW_BYTES


def test_what_is_too_large_or_empty_has_no_hash() -> None:
    """No hash is never equal: the cursor decides then."""
    assert Transcript(b"").last() == ""
    assert Transcript(b'{"p": "' + b"x" * (2 * WINDOW_BYTES) + b'"}\n').last() == ""
    assert Transcript(b"x" * (2 * WINDOW_BYTES)).last() == ""
