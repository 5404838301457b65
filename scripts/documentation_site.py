"""A hook of MkDocs: README.md as the first page, and the files outside docs/ that pages link to.

The pages are written for GitHub, with links relative to the repository. In the site, a file of
docs/ lies at the top, and each other one where the repository has it.

Usage, in the root of a checkout: mkdocs build
"""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parent.parent
FIRST = "README.md"

#: A link to a file, without the place in it.
LINK = re.compile(r"\]\((?![a-z]+:|#)([^)#\s]+)")


def place(path: str) -> str:
    """Where the site has a file of the repository, as MkDocs names sources."""
    return "index.md" if path == FIRST else path.removeprefix("docs/")


def linked(path: str, text: str) -> Iterator[str]:
    """The paths in the repository that a page's `text` links to; `path` is the page's."""
    for link in LINK.findall(text):
        yield posixpath.normpath(posixpath.join(posixpath.dirname(path), link))


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the first page and what pages link to, page by page."""
    pending = [FIRST, *(f"docs/{page.src_uri}" for page in files.documentation_pages())]
    for path in pending:
        if not path.startswith("docs/"):
            files.append(File.generated(config, place(path), abs_src_path=str(ROOT / path)))
        if path.endswith(".md"):
            targets = linked(path, (ROOT / path).read_text())
            pending += sorted(each for each in {*targets} - {*pending} if (ROOT / each).is_file())
    return files


def on_page_markdown(text: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point the page's links at the site."""
    here = page.file.src_uri
    sources = [FIRST, f"docs/{here}", here]
    path = next(each for each in sources if place(each) == here and (ROOT / each).is_file())

    def pointed(link: re.Match[str]) -> str:
        (target,) = linked(path, link[0])
        return f"]({posixpath.relpath(place(target), posixpath.dirname(here) or '.')}"

    return LINK.sub(pointed, text)
