"""Two hosts with gateways behind a balancer, set up by the commands and files of docs/team.md as they stand there."""
from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
from pathlib import Path

from daemons import CTL, PROGRAM, Program, _die_with_parent, clean_environment
from farm import SPEED, Farm, Node
from gateways import GATEWAY, Gateway
from network import Network
from openid import OpenIDIssuer
from web import Answer
from wire import wait_until

ROOT = Path(__file__).parents[2]
HOST, PROVIDER = "desk.example.org", "id.example.org"
HOSTS = {"a": "anna", "b": "bert", "desk": HOST, "id": PROVIDER}
"""The machines, and the names that the document gives them."""
BALANCERS = ["nginx", "haproxy"]
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", (ROOT / "docs/team.md").read_text(), re.S)


def block(language, word="") -> str:
    """The text of the only block in the document with this word."""
    found = [text for kind, text in BLOCKS if kind == language and word in text]
    assert len(found) == 1, f"docs/team.md has {len(found)} blocks {language} with {word!r}"
    return found[0]


class Machine:
    """A machine of the network with an /etc and a /run of its own, on which commands of the document run as root."""

    def __init__(self, network: Network, name: str, folder: Path):
        self.address, self.etc, self.run = network.addresses[name], folder / name / "etc", folder / name / "run"
        self.run.mkdir(parents=True)
        subprocess.run(["cp", "-a", "/etc", self.etc], check=True)
        mounts = f"mount --bind {self.etc} /etc; mount --bind {self.run} /run; mount -t tmpfs none /var/log/nginx 2>/dev/null; echo; exec sleep infinity"
        self.holder = subprocess.Popen([*network.prefix_of(name), "unshare", "--mount", "sh", "-c", mounts], stdout=subprocess.PIPE, preexec_fn=_die_with_parent)
        assert self.holder.stdout.readline() == b"\n"
        self.prefix = ["nsenter", f"--target={self.holder.pid}", "--mount", "--net", "--"]
        self.tools = folder / "tools"
        (folder / "tools" / f"{HOSTS[name]}.pid").write_text(str(self.holder.pid))

    def sh(self, text):
        result = subprocess.run([*self.prefix, "sh", "-euxc", text], capture_output=True, text=True, timeout=60,
                                env={**os.environ, "PATH": f"{self.tools}:/usr/sbin:/usr/bin:/sbin:/bin", "TOOLS": str(self.tools)})
        assert result.returncode == 0, f"{text}\n{result.stderr}"

    def remove(self):
        self.holder.kill()
        self.holder.wait()


TOOLS = {
    "ssh": 'host=$1; shift; exec nsenter --target=$(cat $TOOLS/$host.pid) --mount --net -- sh -euc "$*"',
    "scp": r"""for each; do
            case $each in
            *:*) set -- "$@" "/proc/$(cat $TOOLS/${each%%:*}.pid)/root${each#*:}" ;;
            *) set -- "$@" "$each" ;;
            esac
            shift
        done
        exec cp "$@" """,
    # The tests start the programs by the lines of the units.
    "systemctl": ":",
}


def tools(folder: Path):
    """The programs for the commands of the document: ssh and scp reach the other machines."""
    folder.mkdir()
    for name, text in TOOLS.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    for program in (*PROGRAM, *CTL, *GATEWAY):
        (folder / Path(program).name).symlink_to(program)


class Provider(OpenIDIssuer):
    """The provider of the document, on a machine of its own."""

    CLIENT = "desk"
    PATH = "/realms/team"

    def __init__(self, network: Network, certificate: Path):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        with network.inside("id"):
            super().__init__((network.addresses["id"], 443), context)
        self.url = f"https://{PROVIDER}{self.PATH}"

    def tokens(self):
        """Tokens as long as those of real providers: the cookie is almost as long as it may be."""
        self.count += 1
        access, refresh = (f"{kind}-{self.count}-" + "x" * 1100 for kind in ("access", "refresh"))
        self.access.add(access)
        self.refresh.add(refresh)
        return Answer(200, {"access_token": access, "token_type": "Bearer", "refresh_token": refresh})

    def serve(self, request) -> Answer:
        if not request.path.startswith(self.PATH):
            return Answer(404, {})
        request.path = request.path.removeprefix(self.PATH)
        return super().serve(request)


class HostGateway(Gateway):
    """The gateway of a host, started as its unit does."""

    def __init__(self, node: TeamNode):
        super().__init__(node)
        self.prefix = [*node.prefix, "setpriv", "--reuid=viewmodel-gateway", "--regid=viewmodel-gateway", "--init-groups", "--"]
        self.listen = f"{node.farm.network.addresses[node.name]}:8443"

    def command(self, *more):
        line = re.search(r"^ExecStart=\S+ (.*)$", block("ini", "ExecStart"), re.M).group(1)
        return [*self.prefix, *GATEWAY, *line.split()]

    def launch(self):
        with open(self.log_file, "ab") as log:
            log.write(b"\nstart\n")
        self.spawn(self.command(), env=clean_environment("/", RUNTIME_DIRECTORY="/run/viewmodel-gateway"))

    def start(self):
        self.launch()
        wait_until(self._is_listening, "the gateway's first answer", pause=0.01)
        return self

    def resume(self):
        if self.is_alive:
            self.process.send_signal(signal.SIGCONT)


class TeamNode(Node):
    """A host: a daemon and a gateway."""

    farm: TeamFarm

    def __init__(self, farm: TeamFarm, name: str, **how):
        super().__init__(farm, name, **how)
        machine = farm.machines[name]
        self.prefix = [*machine.prefix, *self.prefix[len(farm.network.prefix_of(name)):]]
        self.folder.chmod(0o755)
        self.socket = machine.run / "viewmodeld" / "viewmodeld.sock"
        self.socket.parent.mkdir(exist_ok=True)
        self.config["socket"] = {"mode": "0660", "group": "viewmodeld"}
        (self.folder / "viewmodeld.d").symlink_to("/etc/viewmodeld/viewmodeld.d")
        self.gateway = HostGateway(self)

    def launch(self, *more, **popen):
        super().launch(*more, **popen)
        if not self.gateway.is_alive:
            self.gateway.launch()
        return self

    def wait_ready(self, patience=30):
        super().wait_ready(patience)
        wait_until(self.gateway._is_listening, "the gateway's first answer", patience, pause=0.01)

    def kill(self):
        """The host dies."""
        self.gateway.kill()
        super().kill()

    def discard(self):
        super().discard()
        self.gateway.discard()


class Balancer(Program):
    """The balancer of the document, on the configuration that Debian's package has brought."""

    def __init__(self, kind: str, machine: Machine, folder: Path):
        self.name = self.kind = kind
        self.prefix, self.log_file = machine.prefix, folder / f"{kind}.log"
        if kind == "nginx":
            self.sh = "exec nginx -g 'daemon off; error_log stderr;'"
            (machine.etc / "nginx/conf.d/desk.conf").write_text(block("nginx", "upstream gateways"))
        else:
            self.sh = "mkdir -p /run/haproxy; exec haproxy -Ws -f /etc/haproxy/haproxy.cfg -p /run/haproxy.pid"
            file = machine.etc / "haproxy/haproxy.cfg"
            file.write_text(file.read_text() + "\n" + block("haproxy"))

    def __repr__(self):
        return self.kind

    def start(self):
        self.spawn([*self.prefix, "sh", "-c", self.sh])
        return self

    def reload(self):
        """Lets new processes take over, as `systemctl reload` does. The old ones keep their connections."""
        self.process.send_signal(signal.SIGHUP if self.kind == "nginx" else signal.SIGUSR2)


class TeamFarm(Farm):
    """Two hosts, a provider and a balancer."""

    names, kind = ["a", "b"], TeamNode
    host, request = HOST, Gateway.request

    def __init__(self, network, database):
        self.folder = Path(tempfile.mkdtemp(prefix="team-"))
        # Each machine has a copy of /etc. On a busy disk it takes ten seconds.
        subprocess.run(["mount", "-t", "tmpfs", "team", self.folder], check=True)
        self.folder.chmod(0o755)
        tools(self.folder / "tools")
        self.certificate = self._make_certificate()
        self.provider = Provider(network, self.certificate)
        self.machines = {name: Machine(network, name, self.folder) for name in HOSTS if name != "id"}
        hosts = "".join(f"{network.addresses[name]} {host}\n" for name, host in HOSTS.items())
        trusted = self.certificate.read_text()
        for machine in self.machines.values():
            for file, text in (("hosts", hosts), ("ssl/certs/ca-certificates.crt", trusted)):
                (machine.etc / file).write_text(f"{(machine.etc / file).read_text()}\n{text}")
        super().__init__(network, database)
        for node in self:
            # The gateway reads these keys, too, and cannot open their files.
            farm = {section: node.config.pop(section) for section in ("store", "vault")}
            (self.machines[node.name].etc / "viewmodeld/viewmodeld.d").mkdir(parents=True)
            (self.machines[node.name].etc / "viewmodeld/viewmodeld.d/farm.yaml").write_text(json.dumps(farm))
        self._set_up()
        self.balancers = {kind: Balancer(kind, self.machines["desk"], self.folder) for kind in BALANCERS}
        self.balancer = self.balancers[BALANCERS[0]]

    def _make_certificate(self) -> Path:
        """A file with the certificate of the balancer and the provider, which all machines trust, and its key."""
        certificate, key = self.folder / "certificate.pem", self.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={HOST}",
                        "-addext", f"subjectAltName=DNS:{HOST},DNS:{PROVIDER}", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        certificate.write_text(certificate.read_text() + key.read_text())
        return certificate

    def _set_up(self):
        """Follows the document."""
        anna = self.machines["a"]
        for name in self.names:
            machine = self.machines[name]
            machine.sh("groupadd --system --force viewmodeld; chgrp viewmodeld /run/viewmodeld")
            shutil.copy(ROOT / "config/viewmodeld.yaml", machine.etc / "viewmodeld/viewmodeld.yaml")
        anna.sh(block("sh", "head -c 32"))
        (anna.etc / "viewmodeld/viewmodeld.d/team.yaml").write_text(block("yaml", "openid:"))
        (anna.etc / "viewmodeld/viewmodeld.d/two-hosts.yaml").write_text(block("yaml", "0.0.0.0"))
        (anna.etc / "systemd/system/viewmodel-gateway.service").write_text(block("ini", "ExecStart"))
        anna.sh(block("sh", "openssl req"))
        anna.sh(block("sh", "scp"))
        for name in self.names:
            self.machines[name].sh("install -d -o viewmodel-gateway -m 700 /run/viewmodel-gateway")
            self.machines[name].sh(block("sh", "daemon-reload"))
        for file in ("desk.pem", "private/desk.key", "private/desk.pem"):
            shutil.copy(self.certificate, self.machines["desk"].etc / "ssl" / file)

    def start(self):
        super().start()
        self.use(self.balancer.kind)
        return self

    def use(self, kind):
        """Replaces the balancer."""
        if self.balancer.is_alive:
            self.balancer.stop()
        self.balancer = self.balancers[kind].start()
        self.wait()

    def wait(self):
        """Waits until the balancer passes requests on. HAProxy does when it has asked `/healthz`."""
        def answers():
            assert self.balancer.is_alive, self.balancer.log
            with contextlib.suppress(OSError):
                return self.request("GET", "/healthz", via=self.socket(HOST)).status == 200
        wait_until(answers, "the balancer", pause=0.1)

    def socket(self, host, port=443, machine=None) -> ssl.SSLSocket:
        """A connection from the machine of the people to a machine, or to the gateway of a host."""
        name = machine or next(name for name, each in HOSTS.items() if each == host)
        context = ssl.create_default_context(cafile=str(self.machines["desk"].etc / "ssl/gateways.pem" if machine else self.certificate))
        with self.network.inside("people"):
            plain = socket.socket()
        try:
            plain.settimeout(10 * SPEED)
            plain.connect((self.network.addresses[name], port))
            return context.wrap_socket(plain, server_hostname=host)
        except BaseException:
            plain.close()
            raise

    def repair(self):
        super().repair()
        for node in self:
            node.gateway.resume()
            if not node.gateway.is_alive:
                node.gateway.start()
        self.wait()

    def discard(self):
        super().discard()
        # Its workers would outlive SIGKILL.
        if self.balancer.is_alive:
            self.balancer.stop()
        self.provider.close()
        for machine in self.machines.values():
            machine.remove()
        subprocess.run(["umount", "-q", "-l", self.folder], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
