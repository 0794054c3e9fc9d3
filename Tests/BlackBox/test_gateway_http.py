"""HTTP of the gateway: hosts, origins, tokens, hostile clients, server-sent events, /rpc, limits, and a reverse proxy."""
import contextlib
import json
import os
import re
import resource
import shutil
import signal
import socket
import ssl
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from daemons import CTL, clean_environment, needs_ctl, root_only, unique
from gateways import GATEWAY, Closed, Gateway, Reply, WebSocket, frame, free_port, processes_with
from wire import one_of_three, wait_until

pytestmark = pytest.mark.skipif(not GATEWAY, reason="VIEWMODEL_GATEWAY names no program")

LIST = {"jsonrpc": "2.0", "id": 1, "method": "session.list"}
PRESS = {"jsonrpc": "2.0", "id": 1, "method": "calculator.press", "params": ["1"]}


@pytest.fixture(scope="module")
def gateway(_shared_daemon):
    if not _shared_daemon.is_alive:
        _shared_daemon.start()
    gateway = Gateway(_shared_daemon).start()
    yield gateway
    gateway.discard()


@pytest.fixture
def gateways(own):
    """Makes gateways for one test alone, each with a daemon."""
    made = []

    def make(config=None, *flags, daemon=None, start=True, **how):
        gateway = Gateway(daemon or own(), config, *flags, **how)
        made.append(gateway)
        return gateway.start() if start else gateway
    yield make
    for gateway in made:
        gateway.discard()


@pytest.fixture(autouse=True)
def lives(gateway):
    yield
    gateway.survived()


# Pages and headers.

def test_each_module_is_served_as_it_stands_in_the_sources(gateway):
    folder = Path(__file__).parents[2] / "Sources/ViewModelGateway/Page"
    files = sorted(folder.iterdir())
    for file in files:
        reply = gateway.get({"index.html": "/", "app.html": "/app/"}.get(file.name, "/" + file.name))
        assert reply.status == 200 and reply.body == file.read_bytes(), file.name
    assert len(files) > 40


def test_the_page_and_the_runtime_are_served_without_a_token(gateway):
    page = gateway.get("/")
    assert page.status == 200 and page.headers["content-type"] == "text/html; charset=utf-8" and b"<!doctype html>" in page.body.lower()
    runtime = gateway.get("/viewmodel.js")
    assert runtime.headers["content-type"] == "text/javascript; charset=utf-8" and b"export" in runtime.body
    for source in re.findall(rb'(?:src|href)="(/[^"]+)"', page.body):
        assert gateway.get(source.decode()).status == 200, source
    assert b"<script>" not in page.body and b"style=" not in page.body


@pytest.mark.parametrize("path, status", [("/", 200), ("/nothing", 404), ("/rpc", 405), ("/events", 401), ("/session", 401)])
def test_every_reply_has_the_security_headers(gateway, path, status):
    reply = gateway.get(path)
    assert reply.status == status
    rules = reply.headers["content-security-policy"].split("; ")
    assert {"default-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "object-src 'none'"} == set(rules)
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["referrer-policy"] == "no-referrer"
    assert reply.headers["cache-control"] == "no-store"
    assert not [name for name in reply.headers if name.startswith("access-control-")]


@pytest.mark.parametrize("path", ["/../../etc/passwd", "/%2e%2e/etc/passwd", "//etc/passwd", "/.", "/index.html/..", "/\\..\\x", "/?x=/etc/passwd%00"])
def test_no_other_file_is_served(gateway, path):
    assert b"root:" not in gateway.get(path).body


def test_a_preflight_gets_no_permission(gateway):
    reply = gateway.request("OPTIONS", "/rpc", {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"})
    assert reply.status == 403 and not [name for name in reply.headers if name.startswith("access-control-")]
    assert gateway.request("OPTIONS", "/rpc").status == 405


@pytest.mark.parametrize("path, host, status", [("/", None, 200), ("/nowhere", None, 404), ("/rpc", None, 405), ("/", "evil.example", 421)])
def test_a_head_has_no_body(gateway, path, host, status):
    with gateway.connect() as connection:
        connection.sendall(f"HEAD {path} HTTP/1.1\r\nHost: {host or gateway.host}\r\n\r\n".encode())
        data = b""
        while chunk := connection.recv(4096):
            data += chunk
    assert data.startswith(b"HTTP/1.1 %d" % status) and data.endswith(b"\r\n\r\n") and b"Content-Length: 0" not in data


# The host (DNS rebinding) and the origin.

HOSTS = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost:{port}.evil.example", "", "0.0.0.0:{port}",
         "127.1:{port}", "[::]:{port}", "user@127.0.0.1:{port}"]


@pytest.mark.parametrize("host", HOSTS)
def test_a_forged_host_is_refused(gateway, host):
    headers = {"Host": host.format(port=gateway.port), **gateway.bearer}
    assert gateway.get("/", headers).status == 421
    assert gateway.request("POST", "/rpc", headers, LIST).status == 421
    with WebSocket(gateway, {**headers, "Origin": gateway.origin}) as refused:
        assert refused.status == 421


def test_a_missing_or_doubled_host_is_refused(gateway):
    for lines in ["", f"Host: {gateway.host}\r\nHost: evil.example\r\n", f"Host: {gateway.host}\r\nHost: {gateway.host}\r\n"]:
        with gateway.connect() as connection:
            connection.sendall(f"GET / HTTP/1.1\r\n{lines}\r\n".encode())
            assert Reply(connection).status in (400, 421)


@pytest.mark.parametrize("name", ["localhost", "[::1]"])
def test_the_names_of_the_loopback_are_hosts(gateway, name):
    host = f"{name}:{gateway.port}"
    assert gateway.get("/", host=host).status == 200
    assert gateway.request("POST", "/session", {"Origin": f"http://{host}"}, {"token": gateway.one_time_token()}, host=host).status == 200


ORIGINS = [None, "null", "http://evil.example", "https://{host}", "http://127.0.0.1", "http://localhost:{port}", "http://{host}.evil.example",
           "http://{host}, http://evil.example", "file://", ""]


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_foreign_or_missing_origin_is_refused(gateway, origin):
    origin = origin and origin.format(host=gateway.host, port=gateway.port)
    cookie = gateway.cookie("act")
    with WebSocket(gateway, {**cookie, "Origin": origin}) as refused:
        assert refused.status == 403
    with WebSocket(gateway, {**gateway.bearer, "Origin": origin}) as refused:
        assert refused.status == 403
    for path in ("/rpc", "/session"):
        assert gateway.request("POST", path, {**cookie, "Origin": origin}, LIST).status == 403
    if origin is not None:
        assert gateway.get("/events?id=daemon", {**cookie, "Origin": origin}).status == 403
        assert gateway.rpc(LIST, Origin=origin).status == 403


def test_a_cross_site_form_is_refused(gateway):
    """A form can send these types with the browser's cookies and without a preflight."""
    cookie = gateway.cookie("act")
    for kind in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"):
        forged = {**cookie, "Content-Type": kind, "Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
        assert gateway.request("POST", "/rpc", forged, PRESS).status == 403
        assert gateway.request("POST", "/rpc", {**forged, "Origin": "null"}, PRESS).status == 403
        own = {**cookie, "Content-Type": kind, "Origin": gateway.origin}
        assert gateway.request("POST", "/rpc", own, PRESS).status == 415
        assert gateway.request("POST", "/rpc", {**gateway.bearer, "Content-Type": kind}, PRESS).status == 415
    assert gateway.request("POST", "/rpc", {**gateway.bearer, "Content-Type": None}, PRESS).status == 415
    image = {**cookie, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"}
    assert gateway.get("/events?id=daemon", image).status == 403


def test_an_origin_of_the_configuration_is_allowed(gateways):
    gateway = gateways({"origins": "http://localhost:5173 https://app.example"})
    for origin in ("http://localhost:5173", "https://app.example"):
        with gateway.web_socket(headers={"Origin": origin}) as connection:
            assert connection.call("session.list")["result"]


# Tokens.

def test_the_token_is_a_private_file_and_never_logged(gateway):
    path = gateway.runtime / "token"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(gateway.runtime.stat().st_mode) == 0o700
    assert re.fullmatch("[0-9a-f]{64}", gateway.token)


def test_no_secret_stands_in_the_log(gateways):
    gateway = gateways(None, "--log-level", "trace")
    token, cookie = gateway.one_time_token("act"), gateway.cookie("act")
    gateway.request("POST", "/session", {"Origin": gateway.origin}, {"token": token})
    gateway.get("/session", cookie)
    gateway.rpc(LIST)
    gateway.get("/session", {"Authorization": "Bearer " + "a" * 64})
    secrets = [gateway.token, token, cookie["Cookie"].split("=")[1], "a" * 64]
    assert gateway.stop() == 0
    assert len(gateway.log) > 100 and not [secret for secret in secrets if secret in gateway.log or secret[-32:] in gateway.log]


@pytest.mark.parametrize("header", ["Bearer", "Bearer ", "Bearer {wrong}", "Bearer {short}", "Basic {token}", "{token}", "Bearer {token}{token}", "Bearer {token} "])
def test_a_wrong_bearer_token_is_refused(gateway, header):
    text = header.format(token=gateway.token, short=gateway.token[:-1], wrong="0" * 64)
    if text.rstrip() == f"Bearer {gateway.token}":
        pytest.skip("white space around a header's value does not count")
    for reply in (gateway.request("POST", "/rpc", {"Authorization": text}, LIST), gateway.get("/events?id=daemon", {"Authorization": text})):
        assert reply.status in (401, 403)
    assert gateway.get("/session", {"Authorization": text}).status == 401
    # A wrong token is not made good by a cookie.
    assert gateway.get("/session", {"Authorization": text, **gateway.cookie()}).status == 401


def test_a_token_is_not_taken_from_the_address(gateway):
    for path in (f"/session?token={gateway.token}", f"/session?access_token={gateway.token}", f"/session?Authorization=Bearer+{gateway.token}"):
        assert gateway.get(path).status == 401


def sign_in(gateway, token, **headers) -> Reply:
    return gateway.request("POST", "/session", {"Origin": gateway.origin, **headers}, {"token": token})


def test_a_one_time_token_works_once(gateway):
    token = gateway.one_time_token("act")
    first = sign_in(gateway, token)
    assert first.status == 200 and first.json == {"scope": "act"}
    cookie = first.headers["set-cookie"]
    assert re.fullmatch(rf"viewmodel-{gateway.port}=[^;]+; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200", cookie)
    assert sign_in(gateway, token).status == 401
    assert gateway.get("/session", {"Cookie": cookie.split(";")[0]}).json == {"scope": "act"}


@pytest.mark.parametrize("token", ["", "0" * 64, None, 5, ["x"], "BEARER"])
def test_a_guessed_one_time_token_is_refused(gateway, token):
    reply = sign_in(gateway, gateway.token if token == "BEARER" else token)
    assert reply.status in (400, 401) and "set-cookie" not in reply.headers


def test_many_guesses_find_nothing_and_leave_the_real_token_valid(gateway):
    token = gateway.one_time_token()
    assert {sign_in(gateway, os.urandom(32).hex()).status for _ in range(300)} == {401}
    assert sign_in(gateway, token).status == 200


@pytest.mark.skipif(not os.environ.get("BLACKBOX_SLOW"), reason="BLACKBOX_SLOW is not set; the unit tests have a clock")
def test_a_one_time_token_ends_after_a_minute(gateway):
    token = gateway.one_time_token()
    time.sleep(61)
    assert sign_in(gateway, token).status == 401


@pytest.mark.parametrize("change", ["scope", "expiry", "cut", "other port"])
def test_a_changed_cookie_is_refused(gateway, change):
    name, value = gateway.cookie("observe")["Cookie"].split("=")
    scope, expiry, *rest = value.split(".")
    changed = {"scope": ["act", expiry, *rest], "expiry": [scope, "9999999999", *rest], "cut": [scope, expiry, *rest[:-1]],
               "other port": [scope, expiry, *rest]}[change]
    name = "viewmodel-1" if change == "other port" else name
    assert gateway.get("/session", {"Cookie": f"{name}={'.'.join(changed)}"}).status == 401
    with WebSocket(gateway, {"Cookie": f"{name}={'.'.join(changed)}", "Origin": gateway.origin}) as refused:
        assert refused.status == 401


@pytest.mark.parametrize("foreign", ["{name}=junk", "{name}=", "{name}", "{name}=act.9999999999.0.0; {name}=é", "x=1; {name}={name}"])
def test_a_foreign_cookie_of_the_same_name_does_not_hide_the_valid_one(gateway, foreign):
    cookie = gateway.cookie()["Cookie"]
    foreign = foreign.format(name=cookie.split("=")[0])
    for both in (f"{foreign}; {cookie}", f"{cookie}; {foreign}"):
        assert gateway.get("/session", {"Cookie": both}).json == {"scope": "observe"}
    assert gateway.get("/session", {"Cookie": foreign}).status == 401


def test_only_the_page_can_be_opened_from_another_site(gateway):
    cookie = gateway.cookie()
    for site in ("cross-site", "same-site"):
        link = {**cookie, "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
        assert gateway.get("/", link).status == 200
        assert gateway.get("/session", link).status == 403
        assert gateway.get("/events?session=planted&linger=86400&id=daemon", link).status == 403
    listed = gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": "session.list"}).json["result"]["sessions"]
    assert "planted" not in [entry["session"] for entry in listed]


def test_a_gateway_that_ends_by_itself_leaves_its_port_and_no_valid_cookie(gateways):
    gateway = gateways({"idleSeconds": 1}, start=False).start()
    cookie = gateway.cookie("act")
    assert gateway.get("/session", cookie).status == 200
    assert gateway.process.wait(20) == 0
    gateway.restart()
    assert gateway.get("/session", cookie).status == 401


def test_an_expired_cookie_is_refused(gateways):
    gateway = gateways({"cookieSeconds": 1})

    def valid_cookie():
        cookie = gateway.cookie()
        return gateway.get("/session", cookie).status == 200 and cookie
    cookie = wait_until(valid_cookie, "a cookie that has not expired yet")
    wait_until(lambda: gateway.get("/session", cookie).status == 401, "the end of the cookie")


def test_cookies_and_tokens_of_another_gateway_are_refused(gateway, gateways):
    other = gateways()
    cookie = other.cookie("act")["Cookie"].replace(f"viewmodel-{other.port}", f"viewmodel-{gateway.port}")
    assert gateway.get("/session", {"Cookie": cookie}).status == 401
    assert gateway.get("/session", other.bearer).status == 401
    assert sign_in(gateway, other.one_time_token()).status == 401


def test_one_time_tokens_are_not_issued_over_the_network(gateway):
    assert gateway.request("POST", "/tokens", {**gateway.bearer, "Origin": gateway.origin}, {"scope": "act"}).status in (404, 405)
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(str(gateway.runtime / "viewmodel-gateway.sock"))
        assert gateway.request("POST", "/tokens", {}, {"scope": "admin"}, via=control).status == 400
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(str(gateway.runtime / "viewmodel-gateway.sock"))
        assert gateway.request("POST", "/rpc", gateway.bearer, LIST, via=control).status == 404


@root_only
def test_another_user_reaches_neither_token_nor_control_socket(gateway):
    gateway.folder.chmod(0o755)
    gateway.runtime.chmod(0o755)    # even if the directory were open
    try:
        program = f"""
import os, socket
peer = socket.create_connection(("127.0.0.1", {gateway.port}))  # before the change, which hides Python's own files
os.setgid(65534); os.setuid(65534)
for attempt in (lambda: open({str(gateway.runtime / "token")!r}).read(), lambda: socket.socket(socket.AF_UNIX).connect({str(gateway.runtime / "viewmodel-gateway.sock")!r})):
    try:
        attempt(); print("reached")
    except PermissionError:
        print("refused")
peer.sendall(b"POST /rpc HTTP/1.1\\r\\nHost: {gateway.host}\\r\\nContent-Type: application/json\\r\\nOrigin: {gateway.origin}\\r\\nContent-Length: 2\\r\\n\\r\\n{{}}")
print(peer.recv(12))
"""
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20)
        assert result.stdout.split("\n")[:3] == ["refused", "refused", "b'HTTP/1.1 401'"], result
    finally:
        gateway.runtime.chmod(0o700)


def status_as_another_user(gateway, head: str, leaves=False) -> str:
    """The status of a request of the user 65534, who may close the connection at once."""
    program = f"""
import os, socket
peer = socket.socket()
os.setgid(65534); os.setuid(65534)
peer = socket.socket()
peer.connect(("127.0.0.1", {gateway.port}))
peer.sendall({head.encode()!r})
print("" if {leaves} else peer.recv(12).decode())
"""
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True).stdout.strip()


@root_only
@pytest.mark.parametrize("path", ["/", "/session", "/events?id=daemon"])
def test_a_process_of_another_user_is_refused_whatever_it_knows(gateway, path):
    cookie = gateway.cookie("act")["Cookie"]
    head = f"GET {path} HTTP/1.1\r\nHost: {gateway.host}\r\nCookie: {cookie}\r\n\r\n"
    assert status_as_another_user(gateway, head) == "HTTP/1.1 403"
    head = head.replace(f"Cookie: {cookie}", f"Authorization: Bearer {gateway.token}")
    assert status_as_another_user(gateway, head) == "HTTP/1.1 403"
    assert gateway.get(path, {"Cookie": cookie}, via=gateway.connect()).status == 200 if path != "/events?id=daemon" else True


@root_only
def test_a_process_of_another_user_that_has_gone_does_nothing(gateway):
    token = gateway.one_time_token("act")
    body = json.dumps({"token": token})
    head = (f"POST /session HTTP/1.1\r\nHost: {gateway.host}\r\nOrigin: {gateway.origin}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n{body}")
    status_as_another_user(gateway, head, leaves=True)
    assert sign_in(gateway, token).status == 200, "the token was not used up"


@root_only
def test_other_users_can_be_let_in(gateways):
    gateway = gateways({"otherUsers": True})
    head = f"GET /session HTTP/1.1\r\nHost: {gateway.host}\r\nAuthorization: Bearer {gateway.token}\r\n\r\n"
    assert status_as_another_user(gateway, head) == "HTTP/1.1 200"


@pytest.mark.parametrize("fault", ["open", "link", "garbage"])
def test_a_token_file_that_others_could_have_made_ends_the_start(gateways, fault):
    gateway = gateways(start=False)
    gateway.runtime.mkdir(mode=0o700)
    path = gateway.runtime / "token"
    if fault == "link":
        (gateway.folder / "elsewhere").write_text("a" * 64)
        (gateway.folder / "elsewhere").chmod(0o600)
        path.symlink_to(gateway.folder / "elsewhere")
    else:
        path.write_text("garbage" if fault == "garbage" else "a" * 64)
        path.chmod(0o644 if fault == "open" else 0o600)
    result = subprocess.run(gateway.command(), env=clean_environment(gateway.folder), capture_output=True, text=True, timeout=20)
    assert result.returncode == 73 and "token" in result.stderr, result


# The scope.

def test_the_bearer_token_observes_unless_control_is_on(gateway, gateways):
    assert gateway.rpc(PRESS).json["error"]["code"] == -32005
    for controlled in (gateways({"control": True}), gateways(None, "--control")):
        assert "result" in controlled.rpc(PRESS).json
        assert controlled.rpc({**LIST, "params": {"all": True}}).json["error"]["code"] == -32005


# /rpc.

def test_a_request_a_batch_and_notifications(gateway):
    assert gateway.rpc(LIST).json["result"]["sessions"] is not None
    reply = gateway.rpc([LIST, {**LIST, "id": "two"}, {"jsonrpc": "2.0", "method": "viewModel.list"}])
    assert [entry["id"] for entry in reply.json] == [1, "two"]
    quiet = gateway.rpc({"jsonrpc": "2.0", "method": "viewModel.list"})
    assert quiet.status == 204 and quiet.body == b""
    assert gateway.rpc([{"jsonrpc": "2.0", "method": "viewModel.list"}]).status == 204
    for body, code in [(b"{", -32700), (b"", -32700), (b"[]", -32600), (b'{"jsonrpc":"2.0","id":1,"method":"x.y"}', -32005)]:
        reply = gateway.rpc(body)
        assert reply.status == 200 and reply.json["error"]["code"] == code


def test_a_binding_in_a_request_does_not_hide_the_reply(gateways):
    gateway = gateways({"control": True})
    bind = {"jsonrpc": "2.0", "id": 1, "method": "viewModel.bind", "params": {"id": "calculator"}}
    reply = gateway.rpc([bind, {**PRESS, "id": 2}])
    assert [entry["id"] for entry in reply.json] == [1, 2]


def test_a_session_of_the_query(gateways):
    gateway, name = gateways({"control": True}), unique()
    for _ in range(2):
        gateway.rpc(PRESS, f"/rpc?session={name}&linger=60")
    read = {"jsonrpc": "2.0", "id": 1, "method": "viewModel.read", "params": {"id": "calculator", "outputs": ["led"]}}
    assert gateway.rpc(read, f"/rpc?session={name}").json["result"]["values"] == {"led": "11"}
    assert gateway.rpc(read).json["result"]["values"] == {"led": "0"}
    for query in ("session=.", "linger=x&session=a", "sesion=a", "session=%zz"):
        assert gateway.rpc(read, f"/rpc?{query}").status == 400


def test_a_long_action_is_awaited_and_abandoned_with_its_client(gateways):
    gateway = gateways({"control": True})
    sleep = {"jsonrpc": "2.0", "id": 1, "method": "lab.sleep", "params": {"milliseconds": 300}}
    assert "result" in gateway.rpc(sleep).json
    before = gateway.idle_descriptors
    body = json.dumps({**sleep, "params": {"milliseconds": 60000}}).encode()
    with gateway.connect() as connection:
        connection.sendall(f"POST /rpc HTTP/1.1\r\nHost: {gateway.host}\r\nAuthorization: Bearer {gateway.token}\r\nContent-Type: application/json\r\n"
                           f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        wait_until(lambda: gateway.descriptors == before + 2, "the connection to the daemon")
    wait_until(lambda: gateway.descriptors == before, "the end of both connections")


def test_a_chunked_body_and_a_continue(gateway):
    body = json.dumps(LIST).encode()
    head = f"POST /rpc HTTP/1.1\r\nHost: {gateway.host}\r\nAuthorization: Bearer {gateway.token}\r\nContent-Type: application/json\r\n"
    with gateway.connect() as connection:
        connection.sendall((head + "Transfer-Encoding: chunked\r\n\r\n").encode() + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))
        assert Reply(connection).json["result"]
    with gateway.connect() as connection:
        connection.sendall((head + f"Content-Length: {len(body)}\r\nExpect: 100-continue\r\n\r\n").encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 100")
        connection.sendall(body)
        assert Reply(connection).json["result"]


# /events.

class Events:
    """A stream of server-sent events."""

    def __init__(self, gateway, query, **headers):
        self.socket = gateway.connect()
        lines = [f"GET /events?{query} HTTP/1.0", *(f"{name}: {value}" for name, value in {"Host": gateway.host, **gateway.bearer, **headers}.items())]
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n")
        self.file = self.socket.makefile("rb")
        self.status = int(self.file.readline().split()[1])
        self.headers = {}
        while (line := self.file.readline().strip()):
            name, _, value = line.decode().partition(": ")
            self.headers[name.lower()] = value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.file.close()
        self.socket.close()

    def __next__(self):
        fields = {}
        while True:
            line = self.file.readline().decode()
            if not line:
                raise StopIteration
            line = line.rstrip("\n")
            if not line and "data" in fields:
                return fields.get("event"), fields.get("id"), json.loads(fields["data"])
            name, _, value = line.partition(":")
            if name:
                fields[name] = value.removeprefix(" ")


def test_events_are_the_picture_and_its_changes_and_resume(gateways):
    gateway, name = gateways({"control": True}), unique()
    query = f"session={name}&linger=60&id=calculator&outputs=led,operations"
    with Events(gateway, query) as events:
        assert events.status == 200 and events.headers["content-type"] == "text/event-stream"
        _, first, picture = next(events)
        assert picture["full"] and picture["values"] == {"led": "0", "operations": []}
        assert first == f"{picture['epoch']}:{picture['seq']}"
        gateway.rpc(PRESS, f"/rpc?session={name}")
        kind, second, change = next(events)
        assert kind is None and change["values"] == {"led": "1"} and second == f"{picture['epoch']}:{change['seq']}"
    gateway.rpc(PRESS, f"/rpc?session={name}")
    with Events(gateway, query, **{"Last-Event-ID": second}) as events:
        _, third, resumed = next(events)
        assert resumed["full"] is False and resumed["values"] == {"led": "11"}
        gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": "session.close", "params": {"session": name}})
        gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": "session.close"}, f"/rpc?session={name}")
        assert next(events)[0] == "closed"
        with pytest.raises(StopIteration):
            next(events)
    with Events(gateway, query, **{"Last-Event-ID": third}) as events:
        assert next(events)[2]["full"] is True


def test_the_end_of_the_instance_ends_the_stream(gateways):
    gateway, name = gateways({"control": True}), unique()

    def call(method, params):
        assert "result" in gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, f"/rpc?session={name}&linger=60").json
    call("viewModel.open", {"type": "calculator", "id": "second"})
    call("viewModel.open", {"type": "calculator", "id": "third"})
    query = f"session={name}&id=second&outputs=led"
    with Events(gateway, query) as events:
        assert next(events)[2]["full"] is True
        call("viewModel.close", {"id": "third"})
        call("second.press", {"value": "7"})
        assert next(events)[2]["values"] == {"led": "7"}
        call("viewModel.close", {"id": "second"})
        kind, _, params = next(events)
        assert (kind, params) == ("closed", {"id": "second"})
        with pytest.raises(StopIteration):
            next(events)
    assert gateway.get(f"/events?{query}", gateway.bearer).status == 400


def test_events_have_windows_and_intervals(gateways):
    gateway, name = gateways({"control": True}), unique()
    with Events(gateway, f"session={name}&id=calculator&outputs=operations&window=operations=0,2&minInterval=1&patches=false") as events:
        assert next(events)[2]["values"] == {"operations": {"offset": 0, "count": 0, "rows": []}}
        for key in "1+1=":
            gateway.rpc({**PRESS, "params": [key]}, f"/rpc?session={name}")
        assert next(events)[2]["values"]["operations"]["rows"]


@pytest.mark.parametrize("query, status", [
    ("", 400), ("id=nothing", 400), ("id=calculator&outputs=none", 400), ("id=calculator&window=x", 400), ("id=calculator&x=1", 400), ("id=%", 400),
])
def test_a_wrong_query_is_refused(gateway, query, status):
    reply = gateway.get(f"/events?{query}", gateway.bearer)
    assert reply.status == status and "error" in reply.json


def test_a_picture_above_the_limit_of_replies_is_refused(gateways):
    gateway = gateways({"limits": {"replyBytes": 1024}})
    reply = gateway.get("/events?id=lab", gateway.bearer)
    assert reply.status == 502 and "gateway.limits.replyBytes" in reply.json["error"]
    gateway.survived()


@pytest.mark.parametrize("identifier", ["x", "x:-1", ":", "x:" + "9" * 30])
def test_an_event_id_of_another_stream_is_ignored(gateway, identifier):
    with gateway.connect() as connection:
        connection.sendall(f"GET /events?id=calculator HTTP/1.1\r\nHost: {gateway.host}\r\nAuthorization: Bearer {gateway.token}\r\n"
                           f"Last-Event-ID: {identifier}\r\n\r\n".encode())
        assert b" 200 " in connection.recv(4096)


def test_another_version_of_web_sockets_is_told_the_right_one(gateway):
    with WebSocket(gateway, {**gateway.bearer, "Origin": gateway.origin, "Sec-WebSocket-Version": "8"}) as connection:
        assert connection.status == 426
        assert "Sec-WebSocket-Version: 13" in connection.head and "Upgrade: websocket" in connection.head


def test_a_reader_of_events_that_never_reads_is_dropped(gateways):
    gateway, name = gateways({"control": True, "pingSeconds": 2}), unique()
    with gateway.connect() as slow, gateway.web_socket("act") as writer:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(f"GET /events?session={name}&id=lab&outputs=echoed HTTP/1.1\r\nHost: {gateway.host}\r\nAuthorization: Bearer {gateway.token}\r\n\r\n".encode())
        writer.call("session.attach", {"session": name})
        before = gateway.resident
        connections = gateway.idle_descriptors

        def change():
            for _ in range(20):
                writer.send({"jsonrpc": "2.0", "method": "lab.echo", "params": ["x" * 60000 + str(time.monotonic())]})
                writer.call("lab.set", [1])    # a step of its own
            writer.call("viewModel.list")
            return gateway.descriptors <= connections - 2
        wait_until(change, "the end of the slow reader", 30)
        assert gateway.resident - before < 8 << 20, gateway.resident - before


def test_comments_keep_a_silent_stream_alive(gateways):
    gateway = gateways({"pingSeconds": 1})
    with Events(gateway, "id=calculator") as events:
        next(events)
        assert events.file.readline() == b":\n"
        assert events.file.readline() == b"\n"


def test_the_end_of_the_daemon_ends_the_stream(gateways, own):
    daemon = own()
    gateway = gateways(daemon=daemon)
    with Events(gateway, "id=calculator") as events:
        next(events)
        daemon.kill()
        with pytest.raises(StopIteration):
            next(events)
    assert gateway.get("/events?id=calculator", gateway.bearer).status == 503


# Limits and hostile clients.

def test_a_long_header_is_refused(gateway):
    for lines in (f"X: {'x' * 20000}", "\r\n".join(f"X-{number}: {'x' * 100}" for number in range(200))):
        with gateway.connect() as connection:
            connection.sendall(f"GET / HTTP/1.1\r\nHost: {gateway.host}\r\n{lines}\r\n\r\n".encode())
            assert Reply(connection).status == 431
    with gateway.connect() as connection:
        try:
            for _ in range(100):
                connection.sendall(b"GET /" + b"x" * 100000 if _ == 0 else b"x" * 100000)
            status = Reply(connection).status
        except (ConnectionResetError, BrokenPipeError):
            status = 431
    assert status in (400, 414, 431)


def test_a_long_body_is_refused_when_it_is_announced(gateway):
    head = f"POST /rpc HTTP/1.1\r\nHost: {gateway.host}\r\nAuthorization: Bearer {gateway.token}\r\nContent-Type: application/json\r\n"
    for length in ((1 << 20) + 1, 2 << 30, 10**18):
        with gateway.connect() as connection:
            connection.sendall((head + f"Content-Length: {length}\r\n\r\n").encode())
            assert Reply(connection).status == 413
    with gateway.connect() as connection:
        connection.sendall((head + "Transfer-Encoding: chunked\r\n\r\n").encode())
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        connection.sendall(chunk * 17)
        assert Reply(connection).status == 413


@pytest.mark.parametrize("data", [
    b"\0\1\2\3\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"G\xc3\xa9T / HTTP/1.1\r\n\r\n", b"GET  HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost\r\n\r\n",
    b"POST /rpc HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", b"POST /rpc HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    b"POST /rpc HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
])
def test_garbage_is_refused(gateway, data):
    with gateway.connect() as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        reply = b""
        try:
            while chunk := connection.recv(4096):
                reply += chunk
        except ConnectionResetError:
            pass
        assert not reply or reply.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4")), reply


def test_a_second_request_on_a_connection_is_not_carried_out(gateways):
    """Nothing can be smuggled behind a request."""
    gateway = gateways({"control": True})
    one = f"GET / HTTP/1.1\r\nHost: {gateway.host}\r\n\r\n".encode()
    with gateway.connect() as connection:
        connection.sendall(one * 3)
        data = b""
        while chunk := connection.recv(65536):
            data += chunk
    assert data.count(b"HTTP/1.1 200") == 1


def test_a_slow_request_ends_after_its_time(gateways):
    gateway = gateways({"limits": {"headerSeconds": 1}})
    for beginning in (b"", b"G", f"GET / HTTP/1.1\r\nHost: {gateway.host}\r\n".encode(),
                      f"POST /rpc HTTP/1.1\r\nHost: {gateway.host}\r\nAuthorization: Bearer {gateway.token}\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{{".encode()):
        with gateway.connect() as connection:
            started = time.monotonic()
            connection.sendall(beginning)
            connection.settimeout(0.2)
            while time.monotonic() - started < 10:
                try:
                    if not connection.recv(100):
                        break
                except TimeoutError:
                    # A byte now and then does not prolong the time.
                    connection.sendall(b"X" if len(beginning) > 1 else b"")
                except (ConnectionResetError, BrokenPipeError):
                    break
            assert 0.5 < time.monotonic() - started < 9


def test_a_reply_that_nobody_reads_ends_after_its_time(gateways):
    gateway = gateways()
    before = gateway.idle_descriptors
    connections = [gateway.connect() for _ in range(50)]
    for connection in connections:
        connection.sendall(f"GET /viewmodel.js HTTP/1.1\r\nHost: {gateway.host}\r\n\r\n".encode())
    wait_until(lambda: gateway.descriptors == before, "the end of the lingering connections", 10)


def test_ten_thousand_slow_connections_do_not_lock_anybody_out(gateways):
    gateway = gateways({"limits": {"connections": 500}})
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = 10_000 if limits[1] == resource.RLIM_INFINITY or limits[1] > 11_000 else limits[1] - 1000
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    slow = []
    try:
        with gateway.web_socket() as connected:
            memory = gateway.resident
            for number in range(count):
                connection = socket.socket()
                connection.settimeout(10)
                # Another test may listen on the port of this end meanwhile.
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                connection.connect(("127.0.0.1", gateway.port))
                connection.sendall(b"GET / HTTP/1.1\r\nX: ")
                slow.append(connection)
                if number % 1000 == 999:
                    # The oldest connection without a token gives way.
                    assert gateway.rpc(LIST).status == 200
                    assert connected.call("session.list")["result"]
                    assert gateway.descriptors < 1100
            assert gateway.get("/").status == 200
            assert gateway.resident - memory < 32 << 20, gateway.resident - memory
            gateway.survived()
    finally:
        for connection in slow:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


@needs_ctl
def test_inspect_ends_after_its_timeout_while_the_gateway_does_not_answer():
    # The directory of root cannot be chosen, so root runs the command as another user.
    user = 65534 if os.geteuid() == 0 else os.geteuid()
    with tempfile.TemporaryDirectory(prefix="viewmodel-inspect-") as folder, socket.socket(socket.AF_UNIX) as control:
        directory = Path(folder, "viewmodel-gateway")
        directory.mkdir()
        control.bind(str(directory / "viewmodel-gateway.sock"))
        control.listen()
        for path in (folder, directory, directory / "viewmodel-gateway.sock"):
            os.chown(path, user, -1)
        environment = {**clean_environment(Path(folder)), "XDG_RUNTIME_DIR": folder}
        command = [*CTL, "--socket", "/nowhere/vm.sock", "--timeout", "1", "inspect", "--print"]

        def attempt():
            start = time.monotonic()
            ended = subprocess.run(command, env=environment, user=user if user != os.geteuid() else None, capture_output=True, text=True, timeout=20)
            assert ended.returncode == 6 and "the gateway did not start within" in ended.stderr, ended
            took = time.monotonic() - start
            assert took > 0.9
            return took >= 5 and f"it took {took:.1f} s"
        one_of_three(attempt)


def test_at_the_limit_connections_with_a_token_stay(gateways):
    gateway = gateways({"limits": {"connections": 3}})
    cookie = gateway.cookie()
    with gateway.web_socket(headers=cookie) as first:
        with WebSocket(gateway, {**cookie, "Origin": gateway.origin}) as second, WebSocket(gateway, {**cookie, "Origin": gateway.origin}) as third:
            for connection in (first, second, third):
                assert connection.call("session.list")["result"] is not None
            with gateway.connect() as refused:
                try:
                    refused.sendall(f"GET / HTTP/1.1\r\nHost: {gateway.host}\r\n\r\n".encode())
                    assert refused.recv(100) == b""
                except ConnectionResetError:
                    pass
            assert first.call("session.list")["result"] is not None

        def has_place():
            try:
                return gateway.get("/").status == 200
            except ConnectionResetError:
                return False
        wait_until(has_place, "a free place")


def test_random_bytes_after_the_handshake_do_no_harm(gateway):
    import random
    seed = random.randrange(1 << 30)
    print("seed", seed)
    dice = random.Random(seed)
    for _ in range(100):
        with gateway.web_socket() as connection:
            try:
                connection.send_raw(dice.randbytes(dice.randrange(1, 3000)))
                connection.socket.shutdown(socket.SHUT_WR)
                assert connection.closing() in (1002, 1003, 1006, 1007, 1009)
            except (BrokenPipeError, ConnectionResetError):
                pass


def test_a_low_limit_of_open_files_locks_nobody_out(gateways):
    gateway = gateways(start=False)
    gateway.command = lambda *more, command=gateway.command: ["prlimit", "--nofile=80:80", *command(*more)]
    gateway.start()
    assert "open files" in gateway.log
    strangers = []
    for _ in range(150):
        strangers.append(gateway.connect())
        strangers[-1].sendall(b"G")
    assert gateway.rpc(LIST).status == 200
    with gateway.web_socket() as connection:
        assert connection.call("session.list")["result"]
    for stranger in strangers:
        stranger.close()
    gateway.survived()


def test_a_body_in_single_bytes_stops_nobody(gateway):
    """Each part costs the same, however much has arrived."""
    chunks = b"1\r\nx\r\n" * 100_000
    head = (f"POST /rpc HTTP/1.1\r\nHost: {gateway.host}\r\nAuthorization: Bearer {gateway.token}\r\n"
            "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    with gateway.connect() as connection:
        connection.sendall(head.encode())
        before = gateway.processor_seconds
        for _ in range(5):
            connection.sendall(chunks)
        assert gateway.get("/").status == 200
        assert gateway.processor_seconds - before < 4


# Life of the program.

def test_a_gateway_without_clients_ends(gateways):
    gateway = gateways({"idleSeconds": 6})
    with gateway.web_socket() as connection:
        time.sleep(6.5)
        assert connection.call("session.list")["result"]
    assert gateway.process.wait(20) == 0
    assert not (gateway.runtime / "viewmodel-gateway.sock").exists()


def test_a_second_gateway_refuses_to_start(gateways):
    gateway = gateways()
    second = subprocess.run(gateway.command(), env=clean_environment(gateway.folder), capture_output=True, text=True, timeout=20)
    assert second.returncode == 73 and "held by another" in second.stderr
    other = gateways(listen=gateway.host, start=False)
    taken = subprocess.run(other.command(), env=clean_environment(other.folder), capture_output=True, text=True, timeout=20)
    assert taken.returncode == 73 and "Address already in use" in taken.stderr


def test_the_address_of_the_page_is_the_one_that_listens(gateways):
    gateway = gateways(listen="127.0.0.2:0")
    assert gateway.url("observe").startswith(f"http://127.0.0.2:{gateway.port}/#token=")
    assert gateway.get("/").status == 200
    assert gateway.get("/", host=f"127.0.0.1:{gateway.port}").status == 421
    assert gateway.get("/session", gateway.cookie()).json == {"scope": "observe"}


@needs_ctl
def test_commands_at_the_same_time_start_one_gateway(own):
    user = 65534 if os.geteuid() == 0 else os.geteuid()
    daemon = own()
    for _ in range(5):
        with tempfile.TemporaryDirectory(prefix="viewmodel-inspect-") as folder:
            os.chown(folder, user, -1)
            path = f"{Path(GATEWAY[0]).parent}:/usr/bin:/bin"
            config = Path(folder, "viewmodeld", "viewmodeld.yaml")
            config.parent.mkdir()
            config.write_text('{"gateway": {"listen": "127.0.0.1:0", "idleSeconds": 20}}')
            environment = {**clean_environment(Path(folder)), "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder, "PATH": path}
            command = [*CTL, "--socket", str(daemon.socket), "inspect", "--print"]
            commands = [subprocess.Popen(command, env=environment, user=user if user != os.geteuid() else None,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(3)]
            pages = set()
            for process in commands:
                out, err = process.communicate(timeout=30)
                assert process.returncode == 0, err
                pages.add(out.split("#")[0])
            assert len(pages) == 1
            wait_until(lambda: len(processes_with(folder)) == 1, "the end of gateways that found the place taken")
            os.kill(*processes_with(folder), signal.SIGTERM)
            wait_until(lambda: not processes_with(folder), "the end of the gateway")


@needs_ctl
def test_inspect_tells_at_once_that_the_port_is_taken():
    user = 65534 if os.geteuid() == 0 else os.geteuid()
    with tempfile.TemporaryDirectory(prefix="viewmodel-inspect-") as folder, socket.create_server(("127.0.0.1", 0)) as other:
        os.chown(folder, user, -1)
        config = Path(folder, "viewmodeld", "viewmodeld.yaml")
        config.parent.mkdir()
        config.write_text(json.dumps({"gateway": {"listen": f"127.0.0.1:{other.getsockname()[1]}"}}))
        environment = {**clean_environment(Path(folder)), "XDG_RUNTIME_DIR": folder, "XDG_CONFIG_HOME": folder, "PATH": f"{Path(GATEWAY[0]).parent}:/usr/bin:/bin"}
        # The time limit is not what ends the command.
        result = subprocess.run([*CTL, "--socket", f"{folder}/d.sock", "--timeout", "9", "inspect", "--print"], env=environment,
                                user=user if user != os.geteuid() else None, capture_output=True, text=True, timeout=30)
        assert result.returncode == 3 and "Address already in use" in result.stderr and "gateway.listen" in result.stderr, result


def test_a_runtime_directory_that_others_may_write_to_ends_the_start(gateways):
    gateway = gateways(start=False)
    gateway.runtime.mkdir()
    gateway.runtime.chmod(0o777)
    result = subprocess.run(gateway.command(), env=clean_environment(gateway.folder), capture_output=True, text=True, timeout=20)
    assert result.returncode == 73 and "--runtime-directory" in result.stderr, result


def test_a_runtime_directory_that_cannot_be_made_has_a_remedy(gateways):
    gateway = gateways(start=False)
    gateway.runtime.touch()
    result = subprocess.run(gateway.command(), env=clean_environment(gateway.folder), capture_output=True, text=True, timeout=20)
    assert result.returncode == 73 and f"{gateway.runtime} is not a directory; choose another directory with --runtime-directory" in result.stderr, result


def test_the_log_says_once_that_the_daemon_is_away_and_that_it_is_back(gateways):
    gateway = gateways()
    gateway.daemon.kill()
    for _ in range(3):
        assert gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": "viewModel.list"}).status == 503
    gateway.daemon.start()
    for _ in range(2):
        assert gateway.rpc({"jsonrpc": "2.0", "id": 1, "method": "viewModel.list"}).status == 200
    log = gateway.log_file.read_text()
    for text in ["A connection to the daemon has ended", "The daemon accepts connections again"]:
        assert log.count(text) == 1, log
    assert log.count(f"socket={gateway.daemon.socket}") == 2, log


@pytest.mark.parametrize("config, listen, words", [
    ({}, "0.0.0.0:0", ["gateway.tls"]), ({}, "[::]:0", ["gateway.tls"]), ({}, "/tmp/x.sock", ["gateway.hosts"]),
    ({"tls": {"certificateFile": "/x"}}, "127.0.0.1:0", ["keyFile"]), ({}, "nonsense", ["--listen", "HOST:PORT"]),
    ({"limits": {"conections": 1}}, "127.0.0.1:0", ["conections"]),
])
def test_a_wrong_configuration_ends_the_start(gateways, config, listen, words):
    gateway = gateways(config, listen=listen, start=False)
    for more in ((), ("--check-config",)):
        result = subprocess.run(gateway.command(*more), env=clean_environment(gateway.folder), capture_output=True, text=True, timeout=20)
        assert result.returncode == 78 and all(word in result.stderr for word in words), result


def launch_with_sockets(gateway, *passed, **environment):
    """Starts the gateway as systemd does it, with sockets instead of --listen."""
    code = ("import os, sys, fcntl\ncount = int(sys.argv[1])\nfds = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 50) for fd in sys.argv[2:2 + count]]\n"
            "for number, fd in enumerate(fds): os.dup2(fd, 3 + number)\n"
            "os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(count))\nos.execv(sys.argv[2 + count], sys.argv[2 + count:])")
    command = [sys.executable, "-c", code, str(len(passed)), *(str(each.fileno()) for each in passed), *gateway.command()]
    at = command.index("--listen")
    del command[at:at + 2]
    gateway.process = subprocess.Popen(command, env=clean_environment(gateway.folder, **environment),
                                       pass_fds=[each.fileno() for each in passed], stderr=open(gateway.log_file, "ab"))


def control_socket(gateway):
    gateway.runtime.mkdir(mode=0o700)
    control = socket.socket(socket.AF_UNIX)
    control.bind(str(gateway.runtime / "viewmodel-gateway.sock"))
    control.listen()
    return control


def test_sockets_of_the_service_manager_are_taken_and_left(gateways):
    """As systemd does it: a TCP and a Unix-domain socket, and READY=1."""
    gateway = gateways(start=False)
    port, control, notify = socket.create_server(("127.0.0.1", 0)), control_socket(gateway), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    notify.bind(str(gateway.folder / "notify"))
    notify.settimeout(20)
    gateway.port = port.getsockname()[1]
    launch_with_sockets(gateway, port, control, NOTIFY_SOCKET=str(gateway.folder / "notify"))
    assert notify.recv(4096).startswith(b"READY=1")
    assert f":{gateway.port}/#token=" in gateway.url("observe")
    assert gateway.get("/session", gateway.cookie("act")).json == {"scope": "act"}
    assert gateway.stop() == 0
    assert notify.recv(4096).startswith(b"STOPPING=1")
    assert (gateway.runtime / "viewmodel-gateway.sock").exists()
    with port, gateway.connect():
        port.settimeout(20)
        port.accept()[0].close()    # the kernel still takes clients, for the next gateway


def test_a_gateway_whose_unit_has_no_port_has_its_own_and_keeps_it(gateways):
    """As for the users whose number makes no port: systemd passes the control socket alone."""
    ports = []
    for gateway in (gateways(start=False), gateways(start=False)):
        with control_socket(gateway) as control:
            for _ in range(2):
                launch_with_sockets(gateway, control)
                ports.append(int(gateway.url("observe").split("//127.0.0.1:")[1].split("/")[0]))
                assert gateway.stop() == 0
    assert ports[0] == ports[1] and ports[2] == ports[3] and 8417 not in ports


def test_a_taken_standard_port_is_replaced_by_a_free_one(gateways):
    gateway = gateways(start=False)
    with contextlib.suppress(OSError):   # Somebody else may have it already.
        gateway.taken = socket.create_server(("127.0.0.1", 8417))
    command = gateway.command()
    at = command.index("--listen")
    del command[at:at + 2]
    gateway.process = subprocess.Popen(command, env=clean_environment(gateway.folder), stderr=open(gateway.log_file, "ab"))
    wait_until(lambda: "Listening" in gateway.log, "the gateway")
    assert ":8417/" not in gateway.url("observe")


@pytest.mark.parametrize("config, code", [({"limits": {"conections": 1}}, 78), ({}, 73)])
def test_clients_that_wait_for_a_gateway_that_does_not_start_learn_it(gateways, config, code):
    gateway = gateways(config, start=False)
    port, control = socket.create_server(("127.0.0.1", 0)), control_socket(gateway)
    if code == 73:
        (gateway.runtime / "token").write_text("no token")
    clients = [socket.create_connection(port.getsockname()), socket.socket(socket.AF_UNIX)]
    clients[1].connect(control.getsockname())
    for client in clients:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    launch_with_sockets(gateway, port, control)
    assert gateway.process.wait(20) == code
    replies = [client.makefile("rb").read().decode() for client in clients]
    assert all(reply.startswith("HTTP/1.1 503 ") and "cannot start" in reply for reply in replies), replies
    reason = "conections" if code == 78 else "token"
    # Each user of the machine can connect to the port.
    assert reason in replies[1] and reason not in replies[0], replies
    port.setblocking(False)
    with pytest.raises(BlockingIOError):
        port.accept()


def test_a_removed_control_socket_is_made_again(gateways):
    gateway = gateways()
    for loss in (lambda: os.unlink(gateway.runtime / "viewmodel-gateway.sock"), lambda: shutil.rmtree(gateway.runtime)):
        loss()
        wait_until(lambda: (gateway.runtime / "viewmodel-gateway.sock").exists(), "the control socket")
        assert f":{gateway.port}/#token=" in gateway.url("observe")
    assert gateway.get("/").status == 200


# TLS and a reverse proxy.

def test_tls(gateways, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=page.example",
                    "-addext", "subjectAltName=DNS:page.example"], check=True, capture_output=True)
    tls = {"certificateFile": str(certificate), "keyFile": str(key)}
    port = free_port()
    gateway = gateways({"hosts": f"page.example:{port}", "tls": tls}, listen=f"0.0.0.0:{port}", start=False)
    gateway.start()
    context = ssl.create_default_context(cafile=str(certificate))

    def connect():
        return context.wrap_socket(socket.create_connection(("127.0.0.1", port), 10), server_hostname="page.example")
    host = f"page.example:{port}"
    assert gateway.get("/", host=host, via=connect()).status == 200
    reply = gateway.request("POST", "/session", {"Origin": f"https://{host}"}, {"token": gateway.one_time_token()}, host=host, via=connect())
    assert reply.status == 200 and reply.headers["set-cookie"].endswith("; Secure")
    assert reply.headers["set-cookie"].startswith(f"__Host-viewmodel-{port}=")
    cookie = {"Cookie": reply.headers["set-cookie"].split(";")[0]}
    assert gateway.get("/session", cookie, host=host, via=connect()).json == {"scope": "observe"}
    assert gateway.get("/session", {"Cookie": cookie["Cookie"].removeprefix("__Host-")}, host=host, via=connect()).status == 401
    for version, works in (("-tls1", False), ("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)):
        hello = subprocess.run(["openssl", "s_client", "-connect", f"127.0.0.1:{port}", version, *(["-cipher", "DEFAULT@SECLEVEL=0"] if not works else [])],
                               input="", capture_output=True, text=True, timeout=20)
        assert (hello.returncode == 0) == works, (version, hello.stdout[-300:], hello.stderr[-300:])
    assert gateway.request("POST", "/session", {"Origin": f"http://{host}"}, {"token": gateway.one_time_token()}, host=host, via=connect()).status == 403
    assert gateway.get("/", host="evil.example", via=connect()).status == 421
    with gateway.connect() as plain:
        plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
        try:
            assert not plain.recv(100).startswith(b"HTTP")
        except ConnectionResetError:
            pass


@pytest.mark.parametrize("fault, words", [
    ("open", ["key.pem", "chmod"]), ("missing", ["key.pem", "No such file"]), ("passphrase", ["key.pem", "passphrase"]),
    ("other", ["key.pem", "certificate.pem"]), ("garbage", ["certificate.pem", "no certificate"]),
])
def test_a_key_that_cannot_be_used_is_named(gateways, tmp_path, fault, words):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=page.example"],
                   check=True, capture_output=True)
    if fault == "open":
        key.chmod(0o644)
    elif fault == "missing":
        key.unlink()
    elif fault == "passphrase":
        subprocess.run(["openssl", "rsa", "-aes256", "-passout", "pass:secret", "-in", key, "-out", key], check=True, capture_output=True)
    elif fault == "other":
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    else:
        certificate.write_text("garbage")
    if fault != "missing" and fault != "open":
        key.chmod(0o640)    # the group may read it, as Debian's ssl-cert does
    gateway = gateways({"hosts": "page.example", "tls": {"certificateFile": str(certificate), "keyFile": str(key)}}, start=False)
    result = subprocess.run(gateway.command(), env=clean_environment(gateway.folder), capture_output=True, text=True, timeout=20)
    assert result.returncode == 73 and all(word in result.stderr for word in words), result.stderr
    assert "NIO" not in result.stderr and "Error(" not in result.stderr


NGINX = shutil.which("nginx") or ("/usr/sbin/nginx" if Path("/usr/sbin/nginx").exists() else None)


@pytest.mark.skipif(not NGINX, reason="nginx is not installed")
def test_the_example_for_nginx(gateways, tmp_path):
    """The block of docs/gateway.md, with other paths and without TLS."""
    port = free_port()
    path = tmp_path / "gateway.sock"
    gateway = gateways({"hosts": f"page.example:{port}"}, listen=str(path), start=False).start()
    page = (Path(__file__).parents[2] / "docs/gateway.md").read_text()
    server = re.search(r"```nginx\n(.*?)```", page, re.S).group(1)
    server = server.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};").replace("/run/viewmodel-gateway/browser.sock", str(path))
    server = re.sub(r"ssl_certificate.*\n", "\n", server).replace("server_name viewmodel.example.org;", "server_name page.example;")
    file = tmp_path / "nginx.conf"
    file.write_text(f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error; user root; events {{}}\nhttp {{ access_log off;\n{server}\n}}")
    proxy = subprocess.Popen([NGINX, "-e", str(tmp_path / "error"), "-c", str(file)], stderr=open(tmp_path / "stderr", "wb"))
    try:
        def connect():
            return socket.create_connection(("127.0.0.1", port), 10)

        def answers():
            assert proxy.poll() is None, (tmp_path / "stderr").read_text()
            try:
                connect().close()
                return True
            except ConnectionRefusedError:
                return False
        wait_until(answers, "nginx")
        gateway.port = port
        host = f"page.example:{port}"
        assert gateway.get("/", host=host, via=connect()).status == 200
        assert gateway.get("/", host="evil.example", via=connect()).status == 421
        signed_in = gateway.request("POST", "/session", {"Origin": f"https://{host}"}, {"token": gateway.one_time_token()}, host=host, via=connect())
        assert signed_in.status == 200
        cookie = {"Cookie": signed_in.headers["set-cookie"].split(";")[0]}
        with WebSocket(gateway, {**cookie, "Host": host, "Origin": f"https://{host}"}) as connection:
            assert connection.call("session.list")["result"] is not None
        with Events(gateway, "id=daemon&outputs=uptimeSeconds", Host=host) as events:
            assert next(events)[2]["full"] and next(events)[2]["values"]
    finally:
        proxy.terminate()
        proxy.wait(10)
