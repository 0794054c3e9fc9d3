"""Installs the packages on a machine, uses, upgrades, removes and purges them."""

import contextlib
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import time

import pytest
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from machine import SOCKET, Clients, until

SERVICE, STATE = "viewmodeld.service", "/var/lib/viewmodeld"
USERS = {"olga": "observe", "carl": "act", "anna": "admin", "mia": None, "paul": None}


def install(machine, folder, *options):
    """Installs the packages of a folder by apt, as an administrator does."""
    names = sorted(path.name for path in (machine.root / folder).glob("*.deb"))
    words = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "--yes", *options]
    done = machine.run(*words, *(f"/{folder}/{name}" for name in names))
    return done.stdout + done.stderr


def sign_in(machine, session="desk"):
    """Signs root in, and leaves a number in the calculator and an unsent message in the outbox."""
    machine.ctl("call", "login.register", "account=ada", "password=@-", "nickname=Ada", stdin="correct horse\n")
    machine.ctl("login", "ada", stdin="correct horse\n")
    machine.ctl("--session", session, "call", "calculator.press", "7")
    machine.ctl("--session", session, "call", "sendList.draft", "hello")
    machine.ctl("--session", session, "call", "sendList.add")


def assert_state(machine, session="desk"):
    """The sessions, the vault and the outbox are there."""
    assert machine.read(session, "calculator", "led") == "7"
    assert machine.read(session, "login", "state") == "signedIn"
    assert [item["text"] for item in machine.read(session, "sendList", "items") if item["status"] == "queued"] == ["hello"]


def test_the_client_is_installable_alone(machine):
    machine.run("dpkg", "--install", *("/" + str(path.relative_to(machine.root)) for path in (machine.root / "packages").glob("viewmodelctl_*.deb")))
    assert "viewmodelctl" in machine.run("viewmodelctl", "--help").stdout
    assert machine.ctl("status", check=False).returncode == 3


def test_an_installation_starts_the_daemon(machine):
    install(machine, "packages")
    for unit in (SERVICE, "viewmodeld.socket"):
        assert machine.show(unit, "ActiveState", "UnitFileState") == ["active", "enabled"]
    assert json.loads(machine.ctl("status").stdout)["state"] == "running"
    assert machine.run("stat", "-c", "%a %U %G", SOCKET, "/run/viewmodeld", STATE).stdout.split("\n")[:3] == [
        "660 root viewmodeld", "755 root root", "700 viewmodeld viewmodeld",
    ]
    # The unit of a person is there, and no person runs it.
    assert machine.run("systemctl", "--global", "is-enabled", SERVICE, check=False).stdout == "disabled\n"
    assert machine.run("dpkg-query", "--show", "--showformat=${Conffiles}", "viewmodeld").stdout.split()[0] == "/etc/viewmodeld/viewmodeld.yaml"
    assert machine.run("dpkg", "--verify").stdout == ""


@pytest.mark.parametrize("module", ["viewmodel_gtk", "viewmodel_qt", "viewmodel_textual"])
def test_the_adapter_of_a_kit_is_where_python_finds_it(machine, module):
    """The kits are not on the machine."""
    find = f"import importlib.util; print(importlib.util.find_spec('{module}').origin)"
    path = machine.run("python3", "-c", find).stdout.strip()
    assert path == f"/usr/lib/python3/dist-packages/{module}.py"
    # The compiled code is made by the package, since users cannot write there.
    assert list((machine.root / path[1:]).parent.glob(f"__pycache__/{module}.*.pyc"))
    assert machine.run("cat", path).stdout == machine.run("viewmodelctl", "generate", module.removeprefix("viewmodel_")).stdout


@pytest.mark.parametrize("program", ["viewmodeld", "viewmodelctl", "viewmodel-gateway"])
def test_a_program_without_proc_says_so(machine, program):
    """Swift reads the arguments from there. Without them `viewmodeld --version` would start a daemon."""
    done = machine.run("unshare", "--mount", "sh", "-c", f"umount --lazy /proc; exec {program} --version", check=False)
    assert done.returncode == 1 and "Mount /proc" in done.stderr


def test_the_running_unit_is_bounded_and_exposes_little(machine):
    text = machine.run("systemd-analyze", "security", "--no-pager", SERVICE).stdout
    assert float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", text)[1]) <= 1.5
    memory, tasks, start = machine.show(SERVICE, "MemoryMax", "TasksMax", "TimeoutStartUSec")
    assert (int(memory), int(tasks), start) == (2 << 30, 512, "10min")
    status = pathlib.Path(machine.path(f"/proc/{machine.main_process()}/status")).read_text()
    assert "CapEff:\t0000000000000000\n" in status and "Seccomp:\t2\n" in status and "NoNewPrivs:\t1\n" in status
    # What the bound allows: no more threads than it, with room.
    assert int(re.search(r"Threads:\t(\d+)", status)[1]) < 100


def test_the_bill_of_materials_is_valid(machine):
    text = machine.run("zcat", "/usr/share/doc/viewmodeld/viewmodeld.cdx.json.gz").stdout
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    assert {"swift-nio", "GRDB.swift", "swift"} <= {each["name"] for each in json.loads(text)["components"]}


def test_each_user_has_the_scope_of_the_configuration(machine):
    for user, scope in USERS.items():
        machine.run("useradd", "--create-home", *([] if user == "paul" else ["--groups=viewmodeld"]), user)
    rules = "".join(f"\n  - {{user: {user}, scope: {scope}}}" for user, scope in USERS.items() if scope)
    configuration = machine.root / "etc/viewmodeld/viewmodeld.yaml"
    configuration.write_text(configuration.read_text() + f"\naccess:{rules}\n")
    before = machine.main_process()
    machine.run("systemctl", "reload", SERVICE)
    assert machine.main_process() == before

    press = ["call", "calculator.press", "3"]
    assert "permission" in machine.ctl("status", user="paul", check=False).stderr.lower()  # No member of the group.
    assert machine.ctl("status", user="mia", check=False).returncode == 5  # No rule.
    assert machine.ctl("read", "calculator", "led", user="olga").returncode == 0
    assert machine.ctl(*press, user="olga", check=False).returncode == 5
    assert machine.ctl("--session", "of-carl", *press, user="carl").returncode == 0
    foreign = ["--uid", machine.uid("carl"), "--session", "of-carl", "read", "calculator", "led"]
    assert machine.ctl(*foreign, user="olga", check=False).returncode == 5
    assert json.loads(machine.ctl(*foreign, user="anna").stdout) == {"led": "3"}
    # Each client is known by its own uid.
    assert [each["UID"] for each in machine.journal() if "A call was denied" in each["MESSAGE"]][-1] == str(machine.uid("olga"))


def test_a_reload_with_an_error_changes_nothing(machine):
    configuration = machine.root / "etc/viewmodeld/viewmodeld.yaml"
    former = configuration.read_text()
    try:
        configuration.write_text(former.replace("\n  #batch: 100\n", "\n  batch: many\n"))
        machine.run("systemctl", "reload", SERVICE)
        until(lambda: [each for each in machine.journal("--priority=err") if "limits.batch" in each["MESSAGE"]])
        machine.ctl("read", "calculator", "led", user="olga")
    finally:
        configuration.write_text(former)
        machine.run("systemctl", "reload", SERVICE)


def test_a_daemon_that_cannot_start_tells_its_clients_and_starts_after_the_repair(machine):
    addition = machine.root / "etc/viewmodeld/viewmodeld.d/wrong.yaml"
    addition.write_text("limits: {batch: many}\n")
    machine.run("systemctl", "restart", SERVICE, check=False)

    def starts():
        return len([each for each in machine.journal("--priority=err") if "wrong.yaml" in each["MESSAGE"]])
    before = starts()
    for _ in range(3):
        started = time.monotonic()
        said = machine.ctl("status", check=False)
        assert said.returncode == 8 and "wrong.yaml:1: limits.batch" in said.stderr and time.monotonic() - started < 5, said
    assert starts() <= before + 3, "one client, one start"
    addition.unlink()
    machine.run("systemctl", "restart", SERVICE)
    assert json.loads(machine.ctl("status").stdout)["state"] == "running"


def test_a_client_starts_the_daemon(machine):
    sign_in(machine)
    machine.run("systemctl", "stop", SERVICE)
    assert machine.show("viewmodeld.socket", "ActiveState") == ["active"]
    assert_state(machine)
    assert machine.show(SERVICE, "ActiveState") == ["active"]


def test_a_person_runs_a_daemon_and_a_gateway(machine):
    machine.run("loginctl", "enable-linger", "paul")
    until(lambda: machine.run("systemctl", "--user", "is-system-running", user="paul", check=False).stdout.strip() == "running")
    machine.run("systemctl", "--user", "enable", "--now", "viewmodeld.socket", "viewmodel-gateway.socket", user="paul")
    # The client finds the socket by itself, and starts the daemon.
    machine.run("viewmodelctl", "--session", "mine", "call", "calculator.press", "9", user="paul")
    assert machine.show(SERVICE, "ActiveState", "MemoryMax", "TasksMax", user="paul") == ["active", str(1 << 30), "512"]
    assert machine.run("stat", "-c", "%a", "/home/paul/.local/state/viewmodeld").stdout == "700\n"
    own = f"/run/user/{machine.uid('paul')}/viewmodeld/viewmodeld.sock"
    assert machine.run("viewmodelctl", "--socket", own, "status", user="anna", check=False).returncode == 3
    port = f"2{machine.uid('paul')}"  # The unit's 2%U.
    page = machine.run("bash", "-c", rf"exec 3<>/dev/tcp/127.0.0.1/{port}; printf 'GET / HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n' >&3; cat <&3")
    assert page.stdout.startswith("HTTP/1.1 200 ")


def test_restarts_refuse_none_of_a_thousand_clients(machine):
    with Clients(machine.path(), 1000) as clients:
        processes = {machine.main_process()}
        for _ in range(5):
            machine.run("systemctl", "restart", SERVICE)
            processes.add(machine.main_process())
            seen = clients.answered
            clients.until(lambda: clients.answered > seen + 1000)
    assert len(processes) == 6
    assert clients.refused == []
    print(f"{clients.answered} visits, {clients.cut} cut connections, the longest visit took {clients.longest:.2f} s")


def test_the_watchdog_replaces_a_daemon_that_hangs(machine):
    dropin = machine.root / "etc/systemd/system/viewmodeld.service.d/watchdog.conf"
    dropin.parent.mkdir()
    dropin.write_text("[Service]\nWatchdogSec=4s\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", SERVICE)
    first = machine.main_process()
    machine.kill("STOP", first)
    # The kernel takes the connection, and the next daemon answers.
    assert_state(machine)
    assert machine.main_process() != first
    assert machine.show(SERVICE, "NRestarts") == ["1"]
    assert any("Watchdog timeout" in each["MESSAGE"] for each in machine.journal())
    dropin.unlink()
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", SERVICE)


def test_a_killed_daemon_is_back(machine):
    first = machine.main_process()
    machine.kill("KILL", first)
    # The kernel takes the connection, and the next daemon answers.
    assert_state(machine)
    assert machine.main_process() not in (0, first)


def test_the_key_of_the_vault_and_the_password_of_the_database_are_encrypted_credentials(machine):
    key = f"{STATE}/vault.key"
    script = f"""
        set -euo pipefail
        systemctl stop viewmodeld.socket viewmodeld.service
        install -d -m 700 /etc/credstore.encrypted
        head -c 32 /dev/urandom | base64 |
            systemd-creds encrypt --name=viewmodeld.key - /etc/credstore.encrypted/viewmodeld.key
        printf %s 'wool and water 5' |
            systemd-creds encrypt --name=viewmodeld.store-password - /etc/credstore.encrypted/viewmodeld.store-password
        systemd-run --quiet --pipe --wait -p User=viewmodeld -p LoadCredentialEncrypted=viewmodeld.key \
            viewmodeld vault adopt {key} --state-directory {STATE}
        rm {key}
        systemctl start viewmodeld.socket
    """
    machine.run("bash", "-c", script)
    assert_state(machine)
    assert not (machine.root / key[1:]).exists()
    directory = next(each for each in pathlib.Path(machine.path(f"/proc/{machine.main_process()}/environ")).read_text().split("\0") if each.startswith("CREDENTIALS_DIRECTORY="))
    assert directory == f"CREDENTIALS_DIRECTORY=/run/credentials/{SERVICE}"
    assert (machine.root / "etc/credstore.encrypted/viewmodeld.key").stat().st_size > 44
    assert machine.run("cat", f"/run/credentials/{SERVICE}/viewmodeld.store-password").stdout == "wool and water 5"
    assert b"wool" not in (machine.root / "etc/credstore.encrypted/viewmodeld.store-password").read_bytes()


def test_the_credential_is_exchanged_as_documented(machine):
    document = (pathlib.Path(__file__).parents[2] / "docs/service.md").read_text("utf-8")
    exchange = next(block for block in re.findall(r"```sh\n(.*?)```", document, re.DOTALL) if "next.key" in block)
    credential, former = machine.root / "etc/credstore.encrypted/viewmodeld.key", machine.root / "run/former.key"
    before = credential.read_bytes()
    # No new key can be made. Nothing is lost.
    machine.run("bash", "-c", exchange.replace("head -c 32", "no-such-program"), check=False)
    assert credential.read_bytes() == before
    assert_state(machine)
    machine.run("bash", "-c", exchange)
    assert credential.read_bytes() != before and not credential.with_name("next.key").exists()
    assert machine.run("ls", "/run/former.key", check=False).returncode != 0
    assert_state(machine)


def test_the_journal_has_fields_and_an_idle_daemon_is_silent(machine):
    machine.run("systemctl", "restart", SERVICE)
    process = machine.main_process()
    records = [each for each in machine.journal() if each["_PID"] == str(process)]
    # Two records a start, and no line of a library.
    assert [(each["MESSAGE"].split(" ")[0], each["PRIORITY"], each["SYSLOG_IDENTIFIER"]) for each in records] == [
        ("Read", "6", "viewmodeld"), ("Listening", "6", "viewmodeld"),
    ]
    assert {each["_TRANSPORT"] for each in records} == {"journal"}
    assert (records[1]["SOCKET"], records[1]["VERSION"]) == (SOCKET, machine.ctl("--version").stdout.strip())

    def processor_time():
        fields = pathlib.Path(machine.path(f"/proc/{process}/stat")).read_text().rsplit(") ", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    until(lambda: machine.ctl("status").returncode == 0)
    time.sleep(1)
    before = processor_time()
    time.sleep(5)
    assert processor_time() - before <= 5, "an idle daemon takes less than 1 % of a core"
    assert [each["MESSAGE"] for each in machine.journal() if each["_PID"] == str(process)] == [each["MESSAGE"] for each in records]


def test_an_upgrade_with_a_wrong_configuration_leaves_the_daemon_alone(machine):
    file = machine.root / "etc/viewmodeld/viewmodeld.yaml"
    before, text = machine.main_process(), file.read_text()
    file.write_text(text + "\nsesion: {lingerSeconds: 3}\n")
    said = install(machine, "packages/newer")
    assert "the former version of the daemon goes on" in said and "sesion" in said, said
    assert machine.main_process() == before
    file.write_text(text)
    install(machine, "packages", "--allow-downgrades")
    assert machine.main_process() != before
    assert_state(machine)


def test_a_person_who_delays_a_restart_does_not_delay_the_upgrade(machine):
    dropin = machine.root / "home/paul/.config/systemd/user/viewmodeld.service.d/delay.conf"
    dropin.parent.mkdir(parents=True)
    dropin.write_text("[Service]\nExecStartPre=/bin/sleep infinity\nTimeoutStartSec=infinity\n")
    started = time.monotonic()
    said = install(machine, "packages", "--reinstall")
    assert "Setting up viewmodeld" in said and 10 < time.monotonic() - started < 60
    shutil.rmtree(dropin.parent)
    machine.run("systemctl", "--user", "daemon-reload", user="paul")
    machine.run("systemctl", "--user", "restart", SERVICE, user="paul")


def test_an_upgrade_keeps_sessions_and_refuses_no_client(machine):
    before = machine.main_process()
    persons = machine.main_process(user="paul")
    machine.ctl("--session", "watched", "call", "calculator.press", "7")
    client = ["viewmodelctl", "--socket", SOCKET, "--session", "watched", "watch", "calculator", "led", "--reconnect"]
    watch = machine.command("systemd-run", "--quiet", "--pipe", "--unit=watch", "--property=RuntimeMaxSec=5min", *client)
    watcher = subprocess.Popen(watch, stdout=subprocess.PIPE, text=True)
    try:
        first = json.loads(watcher.stdout.readline())
        assert first["values"] == {"led": "7"}
        with Clients(machine.path(), 200) as clients:
            said = install(machine, "packages/newer")
            seen = clients.answered
            clients.until(lambda: clients.answered > seen + 200)
        assert clients.refused == []
        assert "Setting up viewmodeld" in said
        assert machine.run("dpkg-query", "--show", "--showformat=${Version}", "viewmodeld").stdout.endswith("+newer")
        assert machine.main_process() != before
        assert_state(machine)
        # The watcher is in its session again, and sees what others do there.
        machine.ctl("--session", "watched", "call", "calculator.press", "5")
        while (frame := json.loads(watcher.stdout.readline()))["values"].get("led") != "75":
            assert frame["values"].get("led") in (None, "7")
    finally:
        machine.run("systemctl", "stop", "watch.service", check=False)
        watcher.wait()
    # The person's daemon runs the new version, too.
    assert machine.main_process(user="paul") != persons
    until(lambda: machine.show(SERVICE, "ActiveState", user="paul") == ["active"])
    assert '"9"' in machine.run("viewmodelctl", "--session", "mine", "read", "calculator", "led", user="paul").stdout
    # The change of the configuration by the administrator stayed.
    assert machine.ctl("read", "calculator", "led", user="olga").returncode == 0


def test_a_downgrade_leaves_a_newer_store_alone_and_says_so(machine):
    # As a later version leaves it: with one migration more.
    machine.run("systemctl", "stop", "viewmodeld.socket", SERVICE)
    store = machine.root / STATE[1:] / "viewmodeld.sqlite"
    migrate(store, "INSERT INTO grdb_migrations VALUES ('later')")
    digest = machine.run("sha256sum", f"{STATE}/viewmodeld.sqlite").stdout
    said = install(machine, "packages", "--allow-downgrades")
    assert "was written by a newer version. Start that version, or put back the backup of before the update" in said
    assert machine.show(SERVICE, "ActiveState", "ExecMainStatus", "NRestarts") == ["failed", "71", "0"]
    assert any("was written by a newer version" in each["MESSAGE"] for each in machine.journal("--priority=err"))
    assert machine.run("sha256sum", f"{STATE}/viewmodeld.sqlite").stdout == digest
    # Back to the version that knows the migration: here the migration goes instead.
    migrate(store, "DELETE FROM grdb_migrations WHERE identifier = 'later'")
    install(machine, "packages/newer")
    assert_state(machine)


def test_a_removal_stops_everything_and_keeps_the_state(machine):
    said = machine.run("apt-get", "remove", "--yes", "viewmodeld", "viewmodel-gateway").stdout
    assert f"viewmodeld: {STATE} is kept" in said
    assert not machine.is_running("viewmodeld") and not machine.is_running("viewmodel-gatew")
    assert (machine.root / STATE[1:] / "viewmodeld.sqlite").exists()
    assert (machine.root / "etc/viewmodeld/viewmodeld.yaml").exists()
    assert machine.ctl("status", check=False).returncode == 3
    install(machine, "packages/newer")
    assert_state(machine)
    # The units that a person has enabled are back.
    assert machine.show("viewmodeld.socket", "ActiveState", user="paul") == ["active"]
    assert machine.show("viewmodel-gateway.socket", "ActiveState", user="paul") == ["active"]


def test_a_purge_removes_the_state_and_says_so(machine):
    said = machine.run("apt-get", "purge", "--yes", "viewmodeld", "viewmodel-gateway", "viewmodelctl", "python3-viewmodel").stdout
    assert f"viewmodeld: removed {STATE} with everything in it" in said
    for name in ("key", "store-password"):
        assert f"viewmodeld: /etc/credstore.encrypted/viewmodeld.{name} is kept" in said
    left = machine.run("find", "/etc", "/var", "/usr", "/lib/systemd", "/run", "-name", "*viewmodel*", "-not", "-path", "/run/user/*").stdout.split()
    # The log of dpkg, the credentials, and what systemd keeps of the stopped daemon of a person.
    assert [path for path in left if "credstore" not in path] == []
    assert machine.run("systemctl", "list-units", "--failed", "--no-legend", "viewmodel*").stdout == ""
    # A person's state is the person's.
    assert (machine.root / "home/paul/.local/state/viewmodeld/viewmodeld.sqlite").exists()


def test_a_purge_of_a_state_directory_that_is_a_mount_point_or_a_link(machine):
    machine.run("mkdir", STATE)
    machine.run("mount", "-t", "tmpfs", "tmpfs", STATE)
    install(machine, "packages/newer")
    machine.ctl("status")
    said = machine.run("apt-get", "purge", "--yes", "viewmodeld").stdout
    assert f"viewmodeld: removed {STATE} with everything in it" in said
    assert machine.run("ls", "-A", STATE).stdout == ""
    machine.run("umount", STATE)
    machine.run("rmdir", STATE)

    install(machine, "packages/newer")
    machine.run("systemctl", "stop", "viewmodeld.socket", SERVICE)
    machine.run("mv", STATE, "/srv/state")
    machine.run("ln", "-s", "/srv/state", STATE)
    said = machine.run("apt-get", "purge", "--yes", "viewmodeld").stdout
    assert f"viewmodeld: removed {STATE}, a link to /srv/state, which is kept" in said
    assert machine.run("ls", STATE, check=False).returncode != 0
    assert "viewmodeld.sqlite" in machine.run("ls", "/srv/state").stdout


def migrate(store, statement):
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as database:
        database.execute(statement)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    # The daemon's user owns all files of the store.
    for path in store.parent.iterdir():
        shutil.chown(path, store.stat().st_uid, store.stat().st_gid)
