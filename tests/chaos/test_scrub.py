from __future__ import annotations

from pathlib import Path

from chaos.scrub import scrub


def test_keys_go_from_every_log_in_every_form(tmp_path: Path) -> None:
    log = tmp_path / "deep" / "e1.log"
    log.parent.mkdir()
    log.write_bytes(b"dial ws://h/websocket/app/a%2Fb\xff and a/b\n")
    (tmp_path / "clean.log").write_text("nothing")
    assert scrub(tmp_path, {"org": "a/b", "none": ""}) == 1
    assert log.read_bytes() == b"dial ws://h/websocket/app/<key:org>\xff and <key:org>\n"
