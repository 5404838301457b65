"""A server with one file, for the tests of downloads."""

from collections.abc import Iterator

import pytest
from corpus.http_server import CONTENT, PATH, Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        running.files[PATH] = CONTENT
        yield running


@pytest.fixture
def url(server: Server) -> str:
    return server.url + PATH
