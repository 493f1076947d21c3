"""The commit that pages of measurements name."""

from __future__ import annotations

import subprocess
from pathlib import Path

import revision


def git(root: Path, *words: str) -> str:
    author = ["-c", "user.name=Nobody", "-c", "user.email=nobody@localhost"]
    done = subprocess.run(["git", "-C", str(root), *author, *words], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_the_commit_is_named_whatever_tags_there_are_and_changes_are_marked(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    file = tmp_path / "file"
    file.write_text("one")
    git(tmp_path, "add", "file")
    git(tmp_path, "commit", "--quiet", "--message", "one")
    git(tmp_path, "tag", "--annotate", "--message", "one", "v1")
    commit = git(tmp_path, "rev-parse", "--short=7", "HEAD")
    assert revision.commit(tmp_path) == commit
    file.write_text("two")
    assert revision.commit(tmp_path) == f"{commit}+"
