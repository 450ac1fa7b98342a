# SPDX-License-Identifier: MIT
"""Errors of one line, and the exit statuses of the tools."""

EXIT_FAILURE, EXIT_USAGE, EXIT_NO_DEVICE = 1, 2, 77  # the same as in common/base/error.hpp


class ToolError(Exception):
    """A mistake in the call, or a problem of the machine. The message is one line."""

    def __init__(self, message: str, status: int = EXIT_USAGE) -> None:
        super().__init__(message)
        self.status = status


class DataError(ToolError):
    """Data that is missing or wrong. The message names the file."""

    def __init__(self, message: str) -> None:
        super().__init__(message, EXIT_FAILURE)


def shown(text: str) -> str:
    """A value for a message of one line: cut if it is long, without line breaks."""
    longest = 40
    printable = "".join(c if c.isprintable() else "?" for c in text[:longest])
    return f"'{printable}'" if len(text) <= longest else f"'{printable}...'"
