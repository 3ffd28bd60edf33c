"""An OpenClaw home to install into. The handler's tests need the program that runs it in OpenClaw."""

from __future__ import annotations

import shutil

collect_ignore = [] if shutil.which("node") else ["test_handler.py"]
