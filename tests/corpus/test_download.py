import hashlib
import http.server
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from contextnmt.corpus.download import download
from contextnmt.errors import UserError

CONTENT = bytes(range(256)) * 3000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT at /data/text.gz, a cut connection at /cut, and nothing else."""

    def do_GET(self) -> None:
        if self.path not in ("/data/text.gz", "/cut"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.wfile.write(CONTENT[:1000] if self.path == "/cut" else CONTENT)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out" / "text.gz"


def entry(url: str, sha256: str = DIGEST) -> str:
    return json.dumps({"url": url, "sha256": sha256, "bytes": len(CONTENT)})


def assert_nothing_left(out: Path) -> None:
    assert list(out.parent.iterdir()) == []


def test_the_file_arrives_byte_for_byte(server: str, out: Path) -> None:
    download("text.gz", entry(f"{server}/data/text.gz"), out)
    assert out.read_bytes() == CONTENT


def test_a_wrong_digest_is_refused_and_explained(server: str, out: Path) -> None:
    url = f"{server}/data/text.gz"
    with pytest.raises(UserError) as caught:
        download("text.gz", entry(url, "0" * 64), out)
    for part in ("text.gz: ", url, "0" * 64, DIGEST, f"({len(CONTENT)} bytes)", "correct `sha256`"):
        assert part in str(caught.value)
    assert_nothing_left(out)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/data/missing.gz", "404"),
        ("/cut", f"broke off after 1000 of {len(CONTENT)} bytes"),
    ],
)
def test_network_errors_name_the_address_and_the_remedy(
    server: str, out: Path, path: str, message: str
) -> None:
    with pytest.raises(UserError, match=message) as caught:
        download("text.gz", entry(server + path), out)
    assert server + path in str(caught.value)
    assert "--mirror" in str(caught.value)
    assert "--hand-placed" in str(caught.value)
    assert_nothing_left(out)


def test_a_server_that_does_not_answer(out: Path) -> None:
    with socket.socket() as unheard:
        unheard.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unheard.getsockname()[1]}/text.gz"
        with pytest.raises(UserError, match="refused"):
            download("text.gz", entry(url), out)
    assert_nothing_left(out)


def test_a_url_of_no_known_kind(out: Path) -> None:
    with pytest.raises(UserError, match="unknown url type"):
        download("text.gz", entry("example.org/text.gz"), out)


def test_hand_placed_before_mirror_before_network(server: str, tmp_path: Path, out: Path) -> None:
    mirror, hand_placed = tmp_path / "mirror", tmp_path / "hand"
    mirrored = mirror / "127.0.0.1" / "nowhere" / "text.gz"
    mirrored.parent.mkdir(parents=True)
    hand_placed.mkdir()
    places = {"mirror": mirror, "hand_placed": hand_placed}

    download("text.gz", entry(f"{server}/data/text.gz"), out, **places)  # neither has it
    assert out.read_bytes() == CONTENT

    out.unlink()
    mirrored.write_bytes(CONTENT)
    download("text.gz", entry(f"{server}/nowhere/text.gz"), out, **places)
    assert out.read_bytes() == CONTENT

    out.unlink()
    (hand_placed / "text.gz").write_bytes(b"something else")
    with pytest.raises(UserError, match=r"hand/text\.gz is not the expected file"):
        download("text.gz", entry(f"{server}/nowhere/text.gz"), out, **places)
    assert_nothing_left(out)


def test_a_mirror_must_be_a_folder(tmp_path: Path, out: Path) -> None:
    with pytest.raises(UserError, match="no such mirror folder"):
        download("text.gz", entry("http://127.0.0.1/x"), out, mirror=tmp_path / "none")


def test_a_finished_file_is_kept_and_a_wrong_one_replaced(server: str, out: Path) -> None:
    out.parent.mkdir()
    out.write_bytes(CONTENT)
    download("text.gz", entry(f"{server}/data/missing.gz"), out)
    out.write_bytes(CONTENT[:-1])
    download("text.gz", entry(f"{server}/data/text.gz"), out)
    assert out.read_bytes() == CONTENT


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a corpus file entry"),
        ("[]", "not a corpus file entry"),
        ('{"url": "http://x"}', "sha256"),
        ('{"url": "http://x", "sha256": "0", "md5": "0"}', "md5"),
        ('{"generator": "embedded", "seed": 1}', "generator"),
    ],
)
def test_an_entry_with_wrong_keys(out: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        download("text.gz", text, out)
