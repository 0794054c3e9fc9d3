"""The code in docs/python-client.md runs against the daemon, and is clean under mypy."""
import re
import textwrap
from pathlib import Path

import pytest
from test_types import mypy

DOCUMENT = Path(__file__).parents[3] / "docs" / "python-client.md"
BLOCKS = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S)


def as_function(block: str) -> str:
    return "from viewmodels import Session\n\nasync def example(desk: Session) -> None:\n" + textwrap.indent(block, "    ")


@pytest.mark.parametrize("block", BLOCKS[1:], ids=[block.split("\n")[0][:40] for block in BLOCKS[1:]])
async def test_a_block_runs(session, block):
    names: dict = {}
    exec(as_function(block), names)
    await names["example"](session)


def test_the_first_block_runs(vm, daemon, monkeypatch, capsys):
    monkeypatch.setenv("VIEWMODELD_SOCKET", str(daemon.socket))
    exec(compile(BLOCKS[0], "start", "exec"), {})
    assert capsys.readouterr().out == "7\n"


def test_the_blocks_are_clean(client_file, tmp_path):
    (tmp_path / "viewmodels.py").write_bytes(client_file.read_bytes())
    (tmp_path / "start.py").write_text(BLOCKS[0])
    files = ["start.py"]
    for number, block in enumerate(BLOCKS[1:]):
        files.append(f"block{number}.py")
        (tmp_path / files[-1]).write_text(as_function(block))
    result = mypy(tmp_path, *files)
    assert result.returncode == 0, result.stdout
