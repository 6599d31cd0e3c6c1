"""The formatter of case files: one layout, so that a difference between two versions is one of meaning."""

import os
from pathlib import Path

from kb import case_file, yaml_text


def format_file(path: Path) -> bool:
    """Rewrite a case file in its canonical form, in one rename; comments are not kept.

    Returns whether the file was changed.

    Raises:
        UnreadableFile, SchemaFaults: not a case; the file stays as it is.
    """
    text = yaml_text.read_text(path)
    canonical = case_file.dumps(case_file.loads(text, path.name))
    if text == canonical:
        return False
    spare = path.with_name(f".{path.name}.{os.getpid()}")
    spare.write_text(canonical, encoding="utf-8")
    spare.chmod(path.stat().st_mode)
    spare.replace(path)
    return True
