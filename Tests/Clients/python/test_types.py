"""The client is clean under the strict type checkers, and imports in each Python from 3.9 on."""
import ast
import inspect
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Bytes of what a client has whatever its contract is: with docstrings and annotations, and without them.
WHOLE_RUNTIME, BARE_RUNTIME = 86_000, 66_500

USE = '''
from __future__ import annotations

import asyncio

from viewmodels import Binding, CalculatorPicture, Event, InvalidCredentialsError, LabBell, Session, SoldOutError


async def main() -> None:
    async with Session("desk") as desk:
        binding: Binding[CalculatorPicture, Event] = await desk.calculator.bind("led", "operations")
        async for picture in binding:
            led: str = picture.led
            texts: list[str] = [row.text for row in picture.operations]
            print(led, texts, picture.operations.total)
            break
        await desk.calculator.press("7", retry=True)
        result = await desk.lab.sleep(milliseconds=20, deadline=1.5)
        slept: int = result.slept
        lab = await desk.lab.bind("rows", windows={"rows": range(0, 20)})
        await lab.scroll("rows", range(20, 40))
        bell: LabBell = await lab.event()
        text: str = bell.value
        print(slept, text)
        box = await desk.send_list.draft_field()
        box.edit("hello")
        value: str = await box.settle()
        sample = (await desk.lab.read("sample")).sample
        await desk.lab.set_sample(
            date=sample.date, data=sample.data, double=sample.double, nested=sample.nested, colour=sample.colour,
            uuid=sample.uuid, decimal=sample.decimal, list_=sample.list_, dictionary=sample.dictionary,
            optional=sample.optional,
        )
        try:
            booking = await desk.lab.book(seats=11)
            print(booking.seats + 1)
        except SoldOutError as error:
            left: int = error.details.seats_left
            print(left, error.details.next_show.year)
        try:
            user = await desk.login.submit(deadline=5)
            print(value, user)
        except InvalidCredentialsError as error:
            print(error.details, error.retryable, error.incident)
    with Session("desk").sync() as blocking:
        blocking.calculator.press("7")
        print(blocking.calculator.read("led").led.upper())
        rang: str = blocking.lab.bind("bell").event().value
        number: int = blocking.lab.bind("value").wait(lambda p: p.value > 2, timeout=1).value
        print(rang, number, blocking.send_list.draft_field().settle().upper())


asyncio.run(main())
'''

WRONG = [
    ("await desk.calculator.press('x')", "press"),
    ("await desk.calculator.bind('lamp')", "lamp"),
    ("await desk.lab.sleep(milliseconds='20')", "sleep"),
    ("(await desk.calculator.read()).lead", "lead"),
    ("(await desk.calculator.read()).led + 1", "+"),
    ("desk.sync().calculator.press('x')", "press"),
    ("desk.sync().lab.sleep(milliseconds='20')", "sleep"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory, client_file):
    folder = tmp_path_factory.mktemp("types")
    (folder / "viewmodels.py").write_bytes(client_file.read_bytes())
    (folder / "use.py").write_text(USE)
    return folder


def mypy(folder, *files):
    return subprocess.run([sys.executable, "-m", "mypy", "--strict", *files], cwd=folder, capture_output=True, text=True)


def pyright(folder, *files):
    settings = {"typeCheckingMode": "strict", "pythonVersion": "3.9"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    # A Python without packages.
    command = [sys.executable, "-m", "pyright", "--warnings", "--pythonpath", sys._base_executable, *files]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("check", [mypy, pyright])
def test_the_client_and_its_use_are_clean(project, check):
    result = check(project, "viewmodels.py", "use.py")
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-1000:]


@pytest.mark.parametrize("check", [mypy, pyright])
def test_wrong_uses_are_found(project, check):
    lines = ["from viewmodels import Session", "", "async def main(desk: Session) -> None:"]
    (project / "wrong.py").write_text("\n".join(lines + [f"    print({code})" for code, _ in WRONG]) + "\n")
    result = check(project, "wrong.py")
    found = {int(line) for line in re.findall(r"wrong\.py:(\d+)", result.stdout)}
    assert found == set(range(4, 4 + len(WRONG))), result.stdout


def pythons():
    found = {}
    for minor in range(9, 14):
        candidates = sorted((Path.home() / ".pyenv/versions").glob(f"3.{minor}.*/bin/python"))
        if program := candidates[0] if candidates else shutil.which(f"python3.{minor}"):
            found[f"3.{minor}"] = str(program)
    return found


@pytest.mark.parametrize("version", [f"3.{minor}" for minor in range(9, 14)])
def test_the_client_runs_in_each_python(project, daemon, version):
    program = pythons().get(version)
    if program is None:
        pytest.skip(f"Python {version} is not installed")
    script = """
import asyncio, sys
import viewmodels as vm
async def main():
    async with vm.Session(socket=sys.argv[1]) as desk:
        binding = await desk.calculator.bind("led")
        await desk.calculator.press("7")
        print((await binding.wait(lambda p: p.led == "7", timeout=5)).led)
        print(vm.parse_date("2026-01-02T03:04:05.6Z").isoformat())
        print(vm.parse_date("2026-01-02 03:04:05Z").isoformat())
        task = asyncio.ensure_future(desk.lab.sleep(milliseconds=60000, deadline=0.05))
        try:
            await task
        except vm.DeadlinePassed:
            print("late")
asyncio.run(main())
with vm.Session(socket=sys.argv[1]).sync() as desk:
    print(desk.calculator.read("led").led)
"""
    command = [program, "-W", "error", "-c", script, str(daemon.socket)]
    result = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=30)
    expected = ["7", "2026-01-02T03:04:05.600000+00:00", "2026-01-02T03:04:05+00:00", "late", "0"]
    assert result.stdout.split() == expected, result.stdout + result.stderr


def test_blocking_methods_have_the_docstrings_and_signatures_of_the_others(vm):
    assert vm.SyncLab.ring.__doc__ == vm.Lab.ring.__doc__
    assert inspect.signature(vm.SyncLab.ring) == inspect.signature(vm.Lab.ring)


def bare(source: str) -> str:
    """The source without docstrings and annotations, as viewmodel.js is beside viewmodel.d.ts."""
    class Bare(ast.NodeTransformer):
        def visit_AnnAssign(self, node):
            return ast.Assign([node.target], node.value) if node.value else None

        def visit(self, node):
            node = super().visit(node)
            if isinstance(node, ast.arg):
                node.annotation = None
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                node.returns = None
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and ast.get_docstring(node):
                node.body = node.body[1:] or [ast.Pass()]
            return node

    return ast.unparse(ast.fix_missing_locations(Bare().visit(ast.parse(source))))


def test_the_runtime_is_small(client_file):
    text = client_file.read_text()
    runtime = text[text.index("from __future__"):text.index("\n# The contract of ")]
    sizes = len(runtime.encode()), len(bare(runtime).encode())
    assert sizes[0] <= WHOLE_RUNTIME and sizes[1] <= BARE_RUNTIME, sizes


def test_no_line_is_long(client_file):
    assert [line for line in client_file.read_text().split("\n") if len(line) > 120] == []
