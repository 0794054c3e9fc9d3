"""HTTP of the gateway: tokens, /rpc, /events, limits, hostile clients, TLS, a reverse proxy, its life."""
import contextlib
import http.client
import json
import os
import re
import resource
import shutil
import socket
import ssl
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from daemons import activated, clean_environment, root_only, unique
from gateways import Events, Gateway, Reply, WebSocket, free_port, needs_gateway
from wire import connected, wait_until

pytestmark = needs_gateway
LIST = {"jsonrpc": "2.0", "id": 1, "method": "session.list"}
PRESS = {"jsonrpc": "2.0", "id": 1, "method": "calculator.press", "params": ["1"]}
POST = b"POST /rpc HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nConnection: close\r\n"
NOBODY = 65534
RULES = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"
ROOT = Path(__file__).parents[2]


def sign_in(gateway, token, **headers) -> Reply:
    return gateway.request("POST", "/session", {"Origin": gateway.origin, **headers}, {"token": token})


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/", 200), ("GET", "/nothing", 404), ("GET", "/rpc", 405), ("GET", "/events", 401), ("GET", "/session", 401), ("HEAD", "/", 200),
    ("HEAD", "/rpc", 405), ("OPTIONS", "/rpc", 204), ("POST", "/ws", 405), ("GET", "/app", 308), ("GET", "/favicon.ico", 308), ("GET", "/healthz", 200),
])
def test_every_reply_has_the_security_headers(gateway, method, path, status):
    head, _, body = gateway.raw(f"{method} {path} HTTP/1.1\r\nHost: {gateway.host}\r\nConnection: close\r\n\r\n".encode()).decode("latin-1").partition("\r\n\r\n")
    assert int(head.split()[1]) == status and (method != "HEAD" or not body)
    headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:])
    assert sorted(headers["content-security-policy"].split("; ")) == sorted(RULES.split("; "))
    assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
    assert headers["cache-control"] == ("no-cache" if (path, status) == ("/", 200) else "no-store")
    assert not [name for name in headers if name.startswith("access-control-")]


# Origins of the configuration. `RequestPolicyTests` have hosts and origins, `test_tls` and the example for nginx have them on the wire.


def test_origins_and_control_of_the_configuration(gateways):
    gateway = gateways({"origins": "http://localhost:5173 https://app.example", "control": True})
    with gateway.web_socket(headers={"Origin": "https://app.example"}) as connection:
        assert connection.call("session.list")["result"]
    assert "result" in gateway.rpc(PRESS).json
    assert gateway.rpc({**LIST, "params": {"all": True}}).json["error"]["code"] == -32005, "control is the scope act"


# Tokens and cookies

def test_no_secret_stands_in_the_log_and_the_token_is_a_private_file(gateways):
    gateway = gateways(None, "--log-level", "trace")
    assert stat.S_IMODE((gateway.runtime / "token").stat().st_mode) == 0o600 and stat.S_IMODE(gateway.runtime.stat().st_mode) == 0o700
    token, cookie = gateway.one_time_token("act"), gateway.cookie("act")
    sign_in(gateway, token)
    gateway.get("/session", cookie)
    gateway.rpc(LIST)
    gateway.get("/session", {"Authorization": "Bearer " + "a" * 64})
    secrets = [gateway.token, token, cookie["Cookie"].split("=")[1], "a" * 64]
    assert re.fullmatch("[0-9a-f]{64}", gateway.token) and gateway.stop() == 0
    assert len(gateway.log) > 100 and not [secret for secret in secrets if secret[-32:] in gateway.log]


def test_a_one_time_token_works_once_whatever_is_guessed(gateway):
    token = gateway.one_time_token("act")
    guesses = ["", "0" * 64, None, 5, ["x"], gateway.token, *(os.urandom(32).hex() for _ in range(100))]
    assert {sign_in(gateway, guess).status for guess in guesses} <= {400, 401}
    first = sign_in(gateway, token)
    assert first.status == 200 and first.json == {"scope": "act"} and sign_in(gateway, token).status == 401
    cookie = first.headers["set-cookie"]
    assert re.fullmatch(rf"viewmodel-{gateway.port}=[^;]+; HttpOnly; SameSite=Strict; Path=/; Max-Age=43200", cookie)
    assert gateway.get("/session", {"Cookie": cookie.split(";")[0]}).json == {"scope": "act"}


def test_a_wrong_bearer_token_is_the_fault_with_and_without_a_cookie(gateway):
    page = {**gateway.cookie("act"), "Origin": gateway.origin}
    for wrong in (f"Bearer {'0' * 64}", f"Bearer {gateway.token}0", "Basic YTpi", ""):
        for headers in ({}, page):
            reply = gateway.rpc(LIST, Authorization=wrong, **headers)
            assert (reply.status, reply.headers["www-authenticate"]) == (401, "Bearer"), (wrong, reply)
    assert gateway.rpc(LIST, **page).status == 200 and gateway.rpc(LIST, Authorization=None).status == 403


def test_a_cookie_ends_with_its_time_and_with_its_gateway(gateways):
    gateway = gateways({"cookieSeconds": 1, "idleSeconds": 2})
    cookie = wait_until(lambda: (made := gateway.cookie()) and gateway.get("/session", made).status == 200 and made, "a valid cookie")
    wait_until(lambda: gateway.get("/session", cookie).status == 401, "the end of the cookie")
    gateway = gateways({"idleSeconds": 1})
    cookie = gateway.cookie("act")
    assert gateway.process.wait(20) == 0 and not (gateway.runtime / "viewmodel-gateway.sock").exists()
    gateway.restart()
    assert gateway.get("/session", cookie).status == 401


def status_as_another_user(gateway, head: str, leaves=False) -> str:
    program = (f"import os, socket, sys\nos.setgid({NOBODY}); os.setuid({NOBODY})\npeer = socket.socket()\n"
               f"peer.connect(('127.0.0.1', {gateway.port}))\npeer.sendall(sys.argv[1].encode())\n")
    command = [sys.executable, "-c", program + ("" if leaves else "print(peer.recv(12).decode()[9:])"), head]
    return subprocess.run(command, capture_output=True, text=True, timeout=20, check=True).stdout.strip()


@root_only
def test_a_process_of_another_user_is_refused_whatever_it_knows(gateway, gateways):
    cookie = gateway.cookie("act")["Cookie"]
    for path in ("/", "/session", "/events?id=daemon"):
        for secret in (f"Cookie: {cookie}", f"Authorization: Bearer {gateway.token}"):
            assert status_as_another_user(gateway, f"GET {path} HTTP/1.1\r\nHost: {gateway.host}\r\n{secret}\r\n\r\n") == "403"
    token = gateway.one_time_token("act")
    body = json.dumps({"token": token})
    status_as_another_user(gateway, f"POST /session HTTP/1.1\r\nHost: {gateway.host}\r\nOrigin: {gateway.origin}\r\nContent-Type: application/json\r\n"
                                    f"Content-Length: {len(body)}\r\n\r\n{body}", leaves=True)
    assert sign_in(gateway, token).status == 200, "the token was not used up"
    shared = gateways({"otherUsers": True})
    assert status_as_another_user(shared, f"GET /session HTTP/1.1\r\nHost: {shared.host}\r\nAuthorization: Bearer {shared.token}\r\n\r\n") == "200"


# /rpc

def test_requests_batches_notifications_and_errors(gateway):
    assert [entry["id"] for entry in gateway.rpc([LIST, {**LIST, "id": "two"}, {"jsonrpc": "2.0", "method": "viewModel.list"}]).json] == [1, "two"]
    quiet = gateway.rpc({"jsonrpc": "2.0", "method": "viewModel.list"})
    assert (quiet.status, quiet.body) == (204, b"")
    for body, code in [(b"{", -32700), (b"", -32700), (b"[]", -32600), (json.dumps(PRESS).encode(), -32005)]:
        reply = gateway.rpc(body)
        assert reply.status == 200 and reply.json["error"]["code"] == code
    assert gateway.rpc(b"[] []").json["error"]["data"]["hint"] == "A message has one JSON value; an array is a batch"


def test_a_session_of_the_query_and_a_binding_beside_a_reply(gateways):
    gateway, name = gateways({"control": True}), unique()
    read = {"jsonrpc": "2.0", "id": 1, "method": "viewModel.read", "params": {"id": "calculator", "outputs": ["led"]}}
    bind = {**read, "id": 2, "method": "viewModel.bind"}
    for _ in range(2):
        assert [entry["id"] for entry in gateway.rpc([bind, PRESS], f"/rpc?session={name}&linger=60").json] == [2, 1]
    assert gateway.rpc(read, f"/rpc?session={name}").json["result"]["values"] == {"led": "11"}
    assert gateway.rpc(read).json["result"]["values"] == {"led": "0"}
    for query in ("session=.", "linger=x&session=a", "sesion=a", "session=%zz"):
        assert gateway.rpc(read, f"/rpc?{query}").status == 400


def test_a_long_action_is_abandoned_with_its_client(gateways):
    gateway = gateways({"control": True})
    sleep = {"jsonrpc": "2.0", "id": 1, "method": "lab.sleep", "params": {"milliseconds": 60000}}
    before, body = gateway.idle_descriptors, json.dumps(sleep).encode()
    with gateway.connect() as connection:
        head = POST.replace(b"{host}", gateway.host.encode()).replace(b"{token}", gateway.token.encode())
        connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        wait_until(lambda: gateway.descriptors == before + 2, "the connection to the daemon")
    wait_until(lambda: gateway.descriptors == before, "the end of both connections")


@pytest.mark.parametrize("pieces, part", [
    ([POST + b"Transfer-Encoding: chunked\r\n\r\n", b"2\r\n[]\r\n0\r\n\r\n"], b"-32600"),
    ([POST + b"Content-Length: 2\r\nExpect: 100-continue\r\n\r\n", b"[]"], b"HTTP/1.1 100"),
    ([POST + b"Content-Length: 1048576\r\n\r\n", b"[]" + b" " * 1048574], b"-32600"),
    ([POST.replace(b"/rpc", b"/session") + b"Content-Length: 4096\r\n\r\n", b"[]" + b" " * 4094], b" 40"),
    ([POST.replace(b"/rpc", b"/session") + b"Content-Length: 4097\r\n\r\n"], b" 413 "),
    ([POST + b"Content-Length: 1048577\r\n\r\n"], b" 413 "), ([POST + b"Content-Length: 1000000000000000000\r\n\r\n"], b" 413 "),
    ([POST + b"Content-Length: 9223372036854775808\r\n\r\n"], b" 413 "),
    ([POST + b"Transfer-Encoding: chunked\r\n\r\n" + (b"10000\r\n" + b" " * 65536 + b"\r\n") * 17], b" 413 "),
    ([b"GET / HTTP/1.1\r\nHost: {host}\r\nX: " + b"x" * 20000 + b"\r\n\r\n"], b" 431 "),
    ([b"GET / HTTP/1.1\r\nHost: {host}\r\n" + b"X: x\r\n" * 5000 + b"\r\n"], b" 431 "),
    ([b"GET /" + b"x" * 100_000, *[b"x" * 100_000] * 50], None), ([b"\0\1\2\3\r\n\r\n"], None),
    ([b"GET / HTTP/9.9\r\n\r\n"], None), ([b"GET  HTTP/1.1\r\n\r\n"], None),
    ([b"G\xc3\xa9T / HTTP/1.1\r\n\r\n"], None), ([b"POST /rpc HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n"], None), ([b"\x16\x03\x01\x02\x00\x01\x00"], None),
    ([b"GET / HTTP/1.1\r\n\r\n"], None), ([b"GET / HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n"], None),
    ([b"POST /rpc HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n"], None), ([b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], None),
], ids=lambda value: repr(value[0][:24] + b"..." + value[-1][-24:]) if isinstance(value, list) else str(value))
def test_bodies_and_heads_of_all_kinds(gateway, pieces, part):
    """None is any refusal."""
    reply = gateway.raw(*pieces, half_close=part is None)
    assert part in reply if part else not reply or reply.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4")), reply
    gateway.survived()


def test_requests_of_one_connection_come_in_their_order_and_a_websocket_only_first(gateways):
    gateway, name = gateways({"control": True}), unique()
    bodies = [json.dumps({**PRESS, "id": number}).encode() for number in range(12)]
    head = POST.replace(b"/rpc", f"/rpc?session={name}".encode()).replace(b"Connection: close\r\n", b"")
    requests = [head + b"Content-Length: %d\r\n\r\n" % len(body) + body for body in bodies]
    read = {**LIST, "method": "viewModel.read", "params": {"id": "calculator", "outputs": ["led"]}}
    last = json.dumps(read).encode()
    replies = gateway.raw(b"".join(requests) + POST.replace(b"/rpc", f"/rpc?session={name}".encode()) + b"Content-Length: %d\r\n\r\n" % len(last) + last)
    assert [int(number) for number in re.findall(rb'"id":(\d+)', replies)] == [*range(12), 1] and b'"led":"111111111111"' in replies
    handshake = (b"GET /ws HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                 b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: viewmodel.v1\r\n\r\n")
    assert re.findall(rb"HTTP/1.1 (\d+)", gateway.raw(requests[0] + handshake + requests[1])) == [b"200", b"400"]
    assert re.findall(rb"HTTP/1.1 (\d+)", gateway.raw(handshake + requests[1])) == [b"101"], "the bytes behind a handshake are frames"


def test_a_connection_carries_requests_of_several_people(gateways):
    """A proxy sends them. What one request has shown or opened is not the next one's."""
    gateway, name = gateways({"control": True}), unique()
    read = {**LIST, "method": "viewModel.read", "params": {"id": "calculator", "outputs": ["led"]}}
    with gateway.connect() as connection:
        def send(path, message, headers):
            reply = gateway.request("POST", path, headers, message, via=contextlib.nullcontext(connection))
            return reply.status, reply.body and reply.json.get("result", reply.json.get("error"))
        assert send(f"/rpc?session={name}&linger=60", PRESS, gateway.bearer)[0] == 200
        observer = {**gateway.cookie("observe"), "Origin": gateway.origin}
        assert send(f"/rpc?session={name}", PRESS, observer)[1]["code"] == -32005
        assert send(f"/rpc?session={name}", read, observer)[1]["values"] == {"led": "1"}
        assert send("/rpc", read, gateway.bearer)[1]["values"] == {"led": "0"} and send("/rpc", PRESS, gateway.bearer)[0] == 200
        assert send("/rpc", read, gateway.bearer)[1]["values"] == {"led": "0"}, "each request without a session has a new one"
        gateway.daemon.kill()
        assert [send("/rpc", read, gateway.bearer)[0] for _ in range(2)] == [503, 503]
        gateway.daemon.start()
        assert [send("/rpc", read, gateway.bearer)[0] for _ in range(3)] == [200, 200, 200]
        assert send(f"/rpc?session={name}", read, {"Origin": gateway.origin})[0] == 401
        with pytest.raises((ConnectionError, http.client.HTTPException)):
            send(f"/rpc?session={name}", read, gateway.bearer)


def test_the_control_socket_closes_after_its_reply(gateway):
    """`viewmodelctl inspect` reads up to the end."""
    with connected(gateway.runtime / "viewmodel-gateway.sock") as control:
        control.sendall(b"POST /tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 19\r\n\r\n{\"scope\":\"observe\"}")
        assert b"#token=" in b"".join(iter(lambda: control.recv(65536), b""))


def test_a_path_behind_a_proxy(gateways):
    gateway = gateways({"path": "/vm"})
    page = gateway.url("observe")
    assert page.split("#")[0] == f"{gateway.origin}/vm/"
    reply = gateway.request("POST", "/vm/session", {"Origin": gateway.origin}, {"token": page.split("=")[1]})
    assert "; Path=/vm/;" in reply.headers["set-cookie"]
    cookie = {"Cookie": reply.headers["set-cookie"].split(";")[0]}
    assert gateway.get("/vm/session", cookie).json == {"scope": "observe"} and gateway.get("/session", cookie).status == 404
    assert (gateway.get("/vm").headers["Location"], gateway.get("/vm/app").headers["Location"]) == ("/vm/", "app/")
    name = re.search('src="(main-[^"]*)"', gateway.get("/vm/").body.decode()).group(1)
    assert "immutable" in gateway.get(f"/vm/{name}").headers["Cache-Control"]
    spoofed = {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/evil", "Forwarded": "host=evil.example"}
    assert gateway.get("/vm/app", spoofed).headers["Location"] == "app/" and gateway.get("/vm/", {**spoofed, "Origin": "https://evil.example"}).status == 403


def test_a_balancer_asks_whether_the_daemon_answers(gateways):
    gateway = gateways()
    assert gateway.raw(b"GET /healthz HTTP/1.0\r\n\r\n").endswith(b"\r\n\r\nok\n")
    gateway.daemon.kill()
    wait_until(lambda: gateway.get("/healthz").status == 503, "the missing daemon")
    assert re.fullmatch(rb"The daemon does not answer: .+\n", gateway.get("/healthz").body)
    gateway.daemon.start()
    wait_until(lambda: gateway.get("/healthz").status == 200, "the daemon")


# /events

def test_a_daemon_that_refuses_the_connection_is_not_away(own, request):
    gateway = Gateway(own({"limits": {"connectionsPerUser": 1}}))
    request.addfinalizer(gateway.discard)
    gateway.start()
    with gateway.daemon.connect_last():
        for reply in (gateway.rpc(LIST), gateway.get("/events?id=daemon", gateway.bearer), gateway.get("/healthz")):
            assert reply.status == 503 and b"the daemon refuses the connection" in reply.body, reply
        for _ in range(3):
            with gateway.web_socket() as socket:
                assert socket.closing() == 1013
    assert gateway.log.count("A connection to the daemon has ended") == 1 and "accepts connections again" not in gateway.log
    wait_until(lambda: gateway.get("/healthz").status == 200, "a place for the gateway")


def test_events_are_the_picture_and_its_changes_and_resume(gateways):
    gateway, name = gateways({"control": True}), unique()
    query = f"session={name}&linger=60&id=calculator&outputs=led,operations"
    with Events(gateway, query) as events:
        _, first, picture = next(events)
        assert events.response.status == 200 and events.response.headers["Content-Type"] == "text/event-stream"
        assert picture["full"] and picture["values"] == {"led": "0", "operations": []} and first == f"{picture['epoch']}:{picture['seq']}"
        gateway.rpc(PRESS, f"/rpc?session={name}")
        kind, second, change = next(events)
        assert kind is None and change["values"] == {"led": "1"} and second == f"{picture['epoch']}:{change['seq']}"
    gateway.rpc(PRESS, f"/rpc?session={name}")
    with Events(gateway, query, **{"Last-Event-ID": second}) as events:
        _, _, resumed = next(events)
        assert resumed["full"] is False and resumed["values"] == {"led": "11"}
        gateway.rpc({**LIST, "method": "session.close"}, f"/rpc?session={name}")
        assert next(events)[0] == "closed"
        with pytest.raises(StopIteration):
            next(events)
    for foreign in (second, "x", "x:-1", "x:" + "9" * 30):
        with Events(gateway, query, **{"Last-Event-ID": foreign}) as events:
            assert next(events)[2]["full"] is True


def test_events_have_windows_end_with_their_instance_and_with_the_daemon(gateways):
    gateway, name = gateways({"control": True, "pingSeconds": 1}), unique()

    def call(method, params):
        assert "result" in gateway.rpc({**LIST, "method": method, "params": params}, f"/rpc?session={name}&linger=60").json
    call("viewModel.open", {"type": "lab", "id": "second"})
    with Events(gateway, f"session={name}&id=second&outputs=rows&window=rows=0,2&minInterval=1&patches=false") as events:
        assert next(events)[2]["values"] == {"rows": {"offset": 0, "count": 0, "rows": []}}
        call("second.append", {"value": 5})
        assert len(next(events)[2]["values"]["rows"]["rows"]) == 2
        assert [events.response.readline(), events.response.readline()] == [b":\n", b"\n"], "comments keep a silent stream alive"
        call("viewModel.close", {"id": "second"})
        kind, _, params = next(events)
        assert (kind, params) == ("closed", {"id": "second"})
    with Events(gateway, "id=calculator") as events:
        next(events)
        gateway.daemon.kill()
        with pytest.raises(StopIteration):
            next(events)
    for _ in range(2):
        assert gateway.get("/events?id=calculator", gateway.bearer).status == gateway.rpc(LIST).status == 503
    gateway.daemon.start()
    assert gateway.rpc(LIST).status == gateway.rpc(LIST).status == 200
    assert [gateway.log.count(text) for text in ("A connection to the daemon has ended", "The daemon accepts connections again")] == [1, 1]


def test_a_stream_has_several_instances_and_resumes_each(gateways):
    gateway, name = gateways({"control": True}), unique()

    def call(method, params=None):
        assert "result" in gateway.rpc({**LIST, "method": method, "params": params or {}}, f"/rpc?session={name}&linger=60").json
    call("viewModel.open", {"type": "lab", "id": "second"})
    query = f"session={name}&linger=60&id=second&outputs=rows&window=rows=0,1&id=calculator&outputs=led&id=daemon&outputs=version"
    with Events(gateway, query) as events:
        pictures = [next(events) for _ in range(3)]
        assert [set(data["values"]) for _, _, data in pictures] == [{"rows"}, {"led"}, {"version"}]
        assert [data["id"] for _, _, data in pictures] == ["second", "calculator", "daemon"]
        epoch = pictures[0][2]["epoch"]
        steps = [data["seq"] for _, _, data in pictures]
        assert [id for _, id, _ in pictures] == [f"{epoch}:{steps[0]},,", f"{epoch}:{steps[0]},{steps[1]},", f"{epoch}:{steps[0]},{steps[1]},{steps[2]}"]
        gateway.rpc(PRESS, f"/rpc?session={name}")
        _, last, change = next(events)
        assert (change["id"], change["values"]) == ("calculator", {"led": "1"})
        assert last == f"{epoch}:{steps[0]},{change['seq']},{steps[2]}"
    call("second.append", {"value": 5})
    with Events(gateway, query, **{"Last-Event-ID": last}) as events:
        resumed = {data["id"]: data for _, _, data in (next(events) for _ in range(3))}
        assert [data["full"] for data in resumed.values()] == [False] * 3
        assert resumed["second"]["values"]["rows"]["count"] == 5 and "led" not in resumed["calculator"].get("values", {})
        call("viewModel.close", {"id": "second"})
        assert next(events)[::2] == ("closed", {"id": "second"}), "the others go on"
        gateway.rpc(PRESS, f"/rpc?session={name}")
        assert next(events)[2]["values"] == {"led": "11"}
        call("session.close")
        assert next(events)[0] == "closed"
        with pytest.raises(StopIteration):
            next(events)
    with Events(gateway, query.replace("id=second", "id=lab"), **{"Last-Event-ID": pictures[0][1]}) as events:
        assert all(next(events)[2]["full"] for _ in range(3)), "a step of another life"
    for wrong, code in ((query, -32004), (query.replace("second", "lab").replace("=led", "=lid"), -32602)):
        refused = gateway.get(f"/events?{wrong}", gateway.bearer)
        assert (refused.status, refused.json["error"]["code"]) == (400, code), "one refuses all"
        assert refused.json["id"] == ("second" if code == -32004 else "calculator")
    twice = gateway.get("/events?id=lab&id=lab", gateway.bearer)
    assert (twice.status, twice.json) == (400, {"error": "an id stands twice"})


# Limits and hostile clients

def test_a_picture_above_the_limit_of_replies_is_refused(gateways):
    gateway = gateways({"limits": {"replyBytes": 1024}})
    reply = gateway.get("/events?id=lab", gateway.bearer)
    assert reply.status == 502 and "gateway.limits.replyBytes" in reply.json["error"]


@pytest.mark.parametrize("beginning", [b"", b"G", b"GET / HTTP/1.1\r\nHost: {host}\r\n", POST + b"Content-Length: 50\r\n\r\n{"])
def test_a_slow_request_ends_after_its_time(gateways, beginning):
    gateway = gateways({"limits": {"headerSeconds": 1}})
    reply = gateway.raw(beginning)
    assert not reply or reply.startswith(b"HTTP/1.1 408"), reply


def test_clients_that_read_nothing_are_dropped_and_cost_little(gateways):
    gateway, name = gateways({"control": True, "pingSeconds": 2}), unique()
    before = gateway.idle_descriptors
    with gateway.connect() as slow, gateway.web_socket("act") as writer:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        head = f"GET /events?session={name}&id=lab&outputs=echoed HTTP/1.1\r\nHost: {gateway.host}\r\nAuthorization: Bearer {gateway.token}\r\n\r\n"
        slow.sendall(head.encode())
        writer.call("session.attach", {"session": name})
        wait_until(lambda: gateway.descriptors == before + 4, "the connections")
        memory = gateway.resident

        def change():
            for number in range(20):
                writer.call("lab.echo", [os.urandom(30_000).hex()])
            return gateway.descriptors <= before + 2
        wait_until(change, "the end of the slow reader", 60)
        assert gateway.resident - memory < 8 << 20


def test_thousands_of_slow_strangers_lock_nobody_out(gateways):
    """The oldest connection without a token gives way. Connections with a token stay."""
    gateway, strangers = gateways({"limits": {"connections": 500}}), []
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    count = min(10_000, limits[1] - 1000) if limits[1] != resource.RLIM_INFINITY else 10_000
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits[1], limits[1]))
    try:
        with gateway.web_socket() as connected:
            memory = gateway.resident
            for number in range(count):
                strangers.append(gateway.connect())
                strangers[-1].sendall(b"GET / HTTP/1.1\r\nX: ")
                if number % 1000 == 999:
                    assert gateway.rpc(LIST).status == 200 and connected.call("session.list")["result"] and gateway.descriptors < 1100
            assert gateway.resident - memory < 32 << 20
            gateway.survived()
    finally:
        for stranger in strangers:
            stranger.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def test_a_low_limit_of_open_files_locks_nobody_out(gateways):
    gateway = gateways(start=False)
    gateway.prefix = ["prlimit", "--nofile=80:80"]
    gateway.start()
    assert "open files" in gateway.log
    control = connected(gateway.runtime / "viewmodel-gateway.sock")
    strangers = [gateway.connect() for _ in range(150)]
    assert "url" in gateway.request("POST", "/tokens", body={"scope": "observe"}, host="localhost", via=control).json
    with gateway.web_socket() as connection:
        assert connection.call("session.list")["result"] and gateway.rpc(LIST).status == 200
    for stranger in strangers:
        stranger.close()


# The life of the program

@pytest.mark.parametrize("hinder, words", [
    (lambda g: (g.runtime / "token").symlink_to("/etc/hostname"), ["token"]), (lambda g: (g.runtime / "token").write_text("garbage"), ["token"]),
    (lambda g: g.runtime.chmod(0o777), ["--runtime-directory"]),
    (lambda g: (g.runtime.rmdir(), g.runtime.touch()), ["is not a directory", "--runtime-directory"]),
])
def test_a_runtime_directory_that_cannot_be_used_ends_the_start(gateways, hinder, words):
    gateway = gateways(start=False)
    gateway.runtime.mkdir(mode=0o700)
    hinder(gateway)
    result = subprocess.run(gateway.command(), env=clean_environment(gateway.folder), capture_output=True, text=True, timeout=20)
    assert result.returncode == 73 and all(word in result.stderr for word in words), result


def launch_with_sockets(gateway, *passed, **environment):
    """Starts the gateway as systemd does it, with sockets instead of --listen."""
    command = gateway.command()
    at = command.index("--listen")
    del command[at:at + 2]
    gateway.process = subprocess.Popen(activated(command, *passed), env=clean_environment(gateway.folder, **environment), pass_fds=[each.fileno() for each in passed],
                                       stderr=open(gateway.log_file, "ab"))


def test_sockets_of_the_service_manager_are_taken_and_left(gateways):
    gateway = gateways(start=False)
    gateway.runtime.mkdir(mode=0o700)
    port, control, notify = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    control.bind(str(gateway.runtime / "viewmodel-gateway.sock"))
    control.listen()
    notify.bind(str(gateway.folder / "notify"))
    notify.settimeout(20)
    gateway.port = port.getsockname()[1]
    launch_with_sockets(gateway, port, control, NOTIFY_SOCKET=str(gateway.folder / "notify"))
    assert notify.recv(4096).startswith(b"READY=1") and f":{gateway.port}/#token=" in gateway.url("observe")
    assert gateway.get("/session", gateway.cookie("act")).json == {"scope": "act"}
    assert gateway.stop() == 0 and notify.recv(4096).startswith(b"STOPPING=1") and (gateway.runtime / "viewmodel-gateway.sock").exists()
    # A gateway whose unit has no port has its own, and keeps it; not the standard one, if somebody has that.
    with contextlib.suppress(OSError):
        gateway.taken = socket.create_server(("127.0.0.1", 8417))
    ports = []
    for _ in range(2):
        launch_with_sockets(gateway, control)
        ports.append(gateway.url("observe").split("//127.0.0.1:")[1].split("/")[0])
        assert gateway.stop() == 0
    assert ports[0] == ports[1] != "8417"


def test_tls(gateways, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2",
                    "-subj", "/CN=page.example", "-addext", "subjectAltName=DNS:page.example"], check=True, capture_output=True)
    port = free_port()
    host, tls = f"page.example:{port}", {"certificateFile": str(certificate), "keyFile": str(key)}
    gateway = gateways({"hosts": host, "tls": tls}, listen=f"0.0.0.0:{port}")
    context = ssl.create_default_context(cafile=str(certificate))

    def request(method, path, headers=None, body=None, host=host):
        connection = context.wrap_socket(socket.create_connection(("127.0.0.1", port), 10), server_hostname="page.example")
        return gateway.request(method, path, headers, body, host=host, via=connection)
    assert request("GET", "/").status == 200 and request("GET", "/", host="evil.example").status == 421
    assert request("POST", "/session", {"Origin": f"http://{host}"}, {"token": gateway.one_time_token()}).status == 403
    made = request("POST", "/session", {"Origin": f"https://{host}"}, {"token": gateway.one_time_token()}).headers["set-cookie"]
    assert made.endswith("; Secure") and made.startswith(f"__Host-viewmodel-{port}=")
    cookie = made.split(";")[0]
    assert request("GET", "/session", {"Cookie": cookie}).json == {"scope": "observe"}
    assert request("GET", "/session", {"Cookie": cookie.removeprefix("__Host-")}).status == 401
    for version, works in (("-tls1", False), ("-tls1_1", False), ("-tls1_2", True), ("-tls1_3", True)):
        command = ["openssl", "s_client", "-connect", f"127.0.0.1:{port}", version, *([] if works else ["-cipher", "DEFAULT@SECLEVEL=0"])]
        assert (subprocess.run(command, input="", capture_output=True, text=True, timeout=20).returncode == 0) == works, version
    assert not gateway.raw(b"GET / HTTP/1.1\r\n\r\n").startswith(b"HTTP")


NGINX = shutil.which("nginx") or ("/usr/sbin/nginx" if Path("/usr/sbin/nginx").exists() else None)


@pytest.mark.skipif(not NGINX, reason="nginx is not installed")
def test_the_example_for_nginx(gateways, tmp_path):
    """The block of docs/gateway.md, with other paths and without TLS."""
    port, path = free_port(), tmp_path / "gateway.sock"
    host = f"page.example:{port}"
    gateway = gateways({"hosts": host}, listen=str(path))
    server = re.search(r"```nginx\n(.*?)```", (ROOT / "docs/gateway.md").read_text(), re.S).group(1)
    server = server.replace("listen 443 ssl;", f"listen 127.0.0.1:{port};").replace("/run/viewmodel-gateway/browser.sock", str(path))
    server = re.sub(r"ssl_certificate.*\n", "\n", server).replace("server_name viewmodel.example.org;", "server_name page.example;")
    file = tmp_path / "nginx.conf"
    file.write_text(f"daemon off; pid {tmp_path}/pid; error_log {tmp_path}/error; user root; events {{}}\nhttp {{ access_log off;\n{server}\n}}")
    proxy = subprocess.Popen([NGINX, "-e", str(tmp_path / "error"), "-c", str(file)], stderr=open(tmp_path / "stderr", "wb"))
    try:
        gateway.port = port

        def answers():
            assert proxy.poll() is None, (tmp_path / "stderr").read_text()
            with contextlib.suppress(ConnectionRefusedError):
                return gateway.connect()
        wait_until(answers, "nginx").close()
        assert gateway.get("/", host=host).status == 200 and gateway.get("/", host="evil.example").status == 421
        origin = {"Origin": f"https://{host}"}
        signed_in = gateway.request("POST", "/session", origin, {"token": gateway.one_time_token()}, host=host)
        cookie = {"Cookie": signed_in.headers["set-cookie"].split(";")[0]}
        with WebSocket(gateway, {**cookie, "Host": host, **origin}) as connection:
            assert connection.call("session.list")["result"] is not None
        with Events(gateway, "id=daemon&outputs=uptimeSeconds", Host=host) as events:
            assert next(events)[2]["full"] and next(events)[2]["values"]
    finally:
        proxy.terminate()
        proxy.wait(10)
