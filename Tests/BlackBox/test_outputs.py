"""A program writes to what it was given: files behind links, devices, pipes. An output that is cut ends with an error."""
import fcntl
import os
import shlex
import signal
import stat
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from daemons import CTL, PROGRAM, clean_environment, needs_ctl, root_only
from gateways import GATEWAY

PROGRAMS = {"daemon": PROGRAM, "ctl": CTL, "gateway": GATEWAY}
CONTRACT = '{"x-viewModels":{"box":{"outputs":{"word":{"schema":{"type":"string"}}}}}}'
MUCH = {"daemon": [*PROGRAM, "configuration"], "ctl": [*CTL, "generate", "python", "--from", "contract.json"]}


@pytest.fixture
def run(tmp_path):
    (tmp_path / "contract.json").write_text(CONTRACT)

    def run(command, **how):
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **how}
        return subprocess.run(command, cwd=tmp_path, env=clean_environment(tmp_path), timeout=30, **how)
    return run


@pytest.fixture
def generate(run):
    return lambda path, language="python", **how: run([*CTL, "generate", language, "--from", "contract.json", "--output", str(path)], **how)


@pytest.fixture
def client(run):
    """The text of the client."""
    return run(MUCH["ctl"]).stdout


@needs_ctl
@pytest.mark.parametrize("exists", [True, False])
def test_the_target_of_a_link_is_written(generate, client, tmp_path, exists):
    target = tmp_path / "target"
    if exists:
        target.write_text("old")
        target.chmod(0o604)
    (tmp_path / "link").symlink_to("target")
    assert generate("link").returncode == 0
    assert (tmp_path / "link").is_symlink() and target.read_bytes() == client
    assert not exists or stat.S_IMODE(target.stat().st_mode) == 0o604
    assert sorted(path.name for path in tmp_path.iterdir()) == ["contract.json", "link", "target"]


@needs_ctl
@root_only
@pytest.mark.parametrize("owner", [65534, 1234], ids=["own", "other"])
def test_a_file_stays_with_its_owner(owner):
    """The file of another user cannot get its owner back after a replacement, so it is overwritten."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        folder = Path(folder)
        file = folder / "client.py"
        file.write_text("old")
        (folder / "contract.json").write_text(CONTRACT)
        file.chmod(0o666)
        os.chown(folder, 65534, 65534)
        os.chown(file, owner, 65534)
        former = file.stat()
        result = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *CTL, "generate", "python", "--from", "contract.json", "--output", "client.py"],
                                cwd=folder, env=clean_environment(folder), stdin=subprocess.DEVNULL, capture_output=True, timeout=30)
        assert result.returncode == 0, result
        new = file.stat()
        assert (new.st_uid, new.st_mode, new.st_ino == former.st_ino) == (owner, former.st_mode, owner == 1234)
        assert "class" in file.read_text() and sorted(os.listdir(folder)) == ["client.py", "contract.json"]


@needs_ctl
@root_only
def test_a_device_stays_a_device(generate, tmp_path):
    device = tmp_path / "null.js"
    os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    result = generate(device, "javascript")
    if b"Permission denied" in result.stderr:
        pytest.skip("this file system has no devices")
    assert result.returncode == 0, result
    assert stat.S_ISCHR(device.stat().st_mode) and not (tmp_path / "null.d.ts").exists()


@needs_ctl
def test_a_fifo_gets_the_client(generate, client, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    received = []
    reader = threading.Thread(target=lambda: received.append(fifo.read_bytes()))
    reader.start()
    assert generate(fifo).returncode == 0
    reader.join(20)
    assert received == [client] and stat.S_ISFIFO(fifo.stat().st_mode)


@needs_ctl
def test_a_fifo_without_a_reader_does_not_hold_a_time_limit_up(run, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    result = run([*CTL, "generate", "python", "--from", "contract.json", "--output", "fifo", "--timeout", "0.2"])
    assert result.returncode == 6, result


@needs_ctl
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_standard_output_by_name_is_written_where_it_stands(run, client, tmp_path, path):
    command = shlex.join([*CTL, "generate", "python", "--from", "contract.json", "--output", path])
    result = run(["sh", "-c", f"{{ echo head; {command}; echo tail; }} > file"])
    assert result.returncode == 0, result
    assert (tmp_path / "file").read_bytes() == b"head\n" + client + b"tail\n"
    assert run(["sh", "-c", f"{command} | cat"]).stdout == client


@needs_ctl
def test_a_directory_is_refused(generate, tmp_path):
    result = generate(tmp_path)
    assert result.returncode == 1 and b"It is a directory. Name a file" in result.stderr


@needs_ctl
def test_a_missing_directory_is_named(generate):
    result = generate("missing/client.py")
    assert result.returncode == 1 and b"missing/client.py cannot be written: No such file or directory" in result.stderr


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("option", ["--help", "--version", "--generate-completion-script=bash"])
def test_a_full_device_is_an_error(run, program, option):
    with open("/dev/full", "wb") as full:
        result = run([*PROGRAMS[program], option], stdout=full)
    assert result.returncode == 1, result
    assert b"The output cannot be written: No space left on device" in result.stderr


@root_only
@pytest.mark.parametrize("program", MUCH)
def test_a_file_on_a_full_disk_is_an_error(run, tmp_path, program):
    command = f"mkdir disk && mount -t tmpfs -o size=8k none disk && exec {shlex.join(MUCH[program])} > disk/file"
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("there are no mount namespaces here")
    result = run(["unshare", "-m", "sh", "-c", command])
    assert result.returncode == 1 and b"The output cannot be written: No space left on device" in result.stderr, result


@needs_ctl
@root_only
def test_a_full_disk_keeps_the_former_client(run, tmp_path):
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        pytest.skip("there are no mount namespaces here")
    command = shlex.join([*CTL, "generate", "python", "--from", "contract.json", "--output", "disk/client.py"])
    result = run(["unshare", "-m", "sh", "-c", f"mkdir disk && mount -t tmpfs -o size=8k none disk && echo old > disk/client.py && {command}; "
                                               "status=$?; cat disk/*; ls -A disk; exit $status"])
    assert result.returncode == 1 and b"disk/client.py cannot be written: No space left on device" in result.stderr, result
    assert result.stdout == b"old\nclient.py\n"


@pytest.mark.parametrize("program", MUCH)
def test_a_pipe_that_does_not_block_gets_everything(run, program):
    whole = run(MUCH[program]).stdout
    read, write = os.pipe()
    os.set_blocking(write, False)
    received = []

    def drain():
        with open(read, "rb") as pipe:
            # Not before the pipe is full, which holds less than the program writes.
            while len(received) < 1 or received[-1]:
                received.append(pipe.read1(1024))
    fcntl.fcntl(write, 1031, 4096)              # F_SETPIPE_SZ
    reader = threading.Thread(target=drain)
    reader.start()
    result = run(MUCH[program], stdout=write)
    os.close(write)
    reader.join(20)
    assert result.returncode == 0 and b"".join(received) == whole


def test_a_pipe_without_a_reader_is_an_error(run):
    for ignored in (False, True):
        read, write = os.pipe()
        os.close(read)
        how = {"restore_signals": False, "preexec_fn": lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)} if ignored else {}
        result = run(MUCH["daemon"], stdout=write, **how)
        os.close(write)
        if ignored:
            assert result.returncode == 1 and b"The output has no reader" in result.stderr, result
        else:
            assert result.returncode == -signal.SIGPIPE, "as with every other program"


@pytest.mark.parametrize("program", [pytest.param(name, marks=needs_ctl if name == "ctl" else ()) for name in PROGRAMS])
@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_a_closed_output_is_an_error(run, program, arguments):
    result = run(["sh", "-c", 'exec "$@" >&-', "sh", *PROGRAMS[program], *arguments])
    assert result.returncode == 1 and b"The output cannot be written" in result.stderr, result


@needs_ctl
def test_the_verdict_of_diff_needs_no_reader(run, tmp_path):
    (tmp_path / "new.json").write_text(CONTRACT.replace("word", "other"))
    read, write = os.pipe()
    os.close(read)
    result = run([*CTL, "diff", "contract.json", "new.json"], stdout=write)
    os.close(write)
    assert result.returncode == 1, result


@needs_ctl
def test_a_fifo_gets_a_recording(daemon, run, tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    record = subprocess.Popen([*CTL, "--socket", str(daemon.socket), "record", str(fifo)], env=clean_environment(tmp_path), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    try:
        with open(fifo) as transcript:
            socket = record.stdout.readline().strip().partition("=")[2]
            assert run([*CTL, "--socket", socket, "status"]).returncode == 0
            record.send_signal(signal.SIGINT)
            assert "viewModel.read" in transcript.read()
        record.wait(20)
    finally:
        record.kill()
        record.wait()
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@needs_ctl
def test_a_recording_that_cannot_begin_leaves_what_it_was_given(daemon, run, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("mine")
    for path, reason in [("folder", "It is a directory"), ("file", "exists already")]:
        result = run([*CTL, "--socket", str(daemon.socket), "record", path])
        assert result.returncode == 64 and reason.encode() in result.stderr, result
    assert (tmp_path / "file").read_text() == "mine" and (tmp_path / "folder").is_dir()


GENERATOR = Path(PROGRAM[-1]).parent / "viewmodel-client-generator" if PROGRAM else None


@pytest.mark.skipif(not (GENERATOR and GENERATOR.exists()), reason="needs the tool of the plugin beside the daemon")
def test_the_tool_of_the_plugin_says_that_a_contract_is_a_directory(run):
    result = run([str(GENERATOR), ".", "client.swift"])
    assert result.returncode == 1 and b".: error: the file cannot be read: Is a directory" in result.stderr, result
