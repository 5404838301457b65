"""A server with one file, for the tests of downloads, and the embedded corpus."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from corpus.http_server import CONTENT, PATH, Server, serving

from contextnmt.corpus.generate import generate


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        running.files[PATH] = CONTENT
        yield running


@pytest.fixture
def url(server: Server) -> str:
    return server.url + PATH


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded corpus."""
    path = tmp_path_factory.mktemp("embedded") / "embedded.tar.gz"
    generate(1, path)
    return path
