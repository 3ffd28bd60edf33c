"""Every error the product raises on purpose.

    TotalRecallError            title (what happened) + hint (what to do) + exit code
    ├── ConfigError             78  a setting, a file of settings, or a missing piece of the set-up
    ├── BusyError               75  somebody else works on the same thing; try later
    ├── CeilingError            75  the spending ceiling or a limit of calls is reached
    ├── ModelUnreachableError   69  no model answered; nothing is lost
    ├── BatchTooLargeError      69  the batch does not fit the model's window; the caller halves it
    ├── BatchRefusedError       69  the model answers, but never usefully to this batch; the caller bisects it
    ├── SourceError              3  a transcript or store cannot be read
    ├── MemoryFileError          3  a memory file cannot be written, or is not as we left it
    ├── LedgerError              3  our own bookkeeping is damaged or gone
    └── ServiceError             3  the service manager refuses, or the service does not come up

Expected results (nothing to do, a conflict, a refusal) are return values, never errors.
"""

from __future__ import annotations


class TotalRecallError(Exception):
    """What happened, in ``title``; what to do about it, in ``hint``; ``exit_code`` as in the README."""

    exit_code: int = 1

    def __init__(self, title: str, hint: str = "") -> None:
        super().__init__(title if not hint else f"{title} {hint}")
        self.title = title
        self.hint = hint


class ConfigError(TotalRecallError):
    """A setting makes no sense, or what it names does not exist."""

    exit_code = 78


class BusyError(TotalRecallError):
    """Another process holds what this one needs. Nothing was changed."""

    exit_code = 75


class CeilingError(TotalRecallError):
    """A limit of money, calls or tokens is reached. The queue waits."""

    exit_code = 75


class ModelUnreachableError(TotalRecallError):
    """No model gave an answer. Messages stay pending."""

    exit_code = 69


class BatchTooLargeError(TotalRecallError):
    """The provider says the request is over the model's window."""

    exit_code = 69


class BatchRefusedError(TotalRecallError):
    """The model was reached, and this batch gets no usable answer (filtered, refused, empty, garbage)."""

    exit_code = 69


class SourceError(TotalRecallError):
    """A transcript cannot be read."""

    exit_code = 3


class MemoryFileError(TotalRecallError):
    """A memory file cannot be written, or is not what the ledger knows."""

    exit_code = 3


class LedgerError(TotalRecallError):
    """The ledger is damaged, missing, or of a newer version."""

    exit_code = 3


class ServiceError(TotalRecallError):
    """The service manager refuses, or the service was started and does not run."""

    exit_code = 3
