"""Small HTTP servers on 127.0.0.1 that play the account providers, well-behaved and hostile ones."""
import http.server
import json
import socket
import ssl
import threading
import urllib.parse
from collections import deque
from dataclasses import dataclass, field


@dataclass
class Request:
    method: str
    path: str
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def form(self) -> dict:
        return dict(urllib.parse.parse_qsl(self.body.decode()))

    @property
    def bearer(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ")


@dataclass
class Answer:
    """What a server answers: a status and JSON, or raw bytes."""

    status: int = 200
    content: object = None
    raw: bytes | None = None
    headers: dict = field(default_factory=dict)
    after: threading.Event | None = None
    """The answer waits for this event, so that it is under way as long as a test needs."""


class HangUp:
    """The server closes the connection without an answer."""


class Web:
    """An HTTP server whose answers a test can replace, path by path."""

    def __init__(self, address=("127.0.0.1", 0), tls: ssl.SSLContext | None = None):
        self.requests: list[Request] = []
        self.always: dict[str, object] = {}
        self.once: dict[str, deque] = {}
        self.lock = threading.RLock()
        web = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.command, self.path, headers, body)
                answer = web._answer(request)
                if isinstance(answer, HangUp):
                    self.close_connection = True
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                if answer.after:
                    answer.after.wait(60)
                data = answer.raw if answer.raw is not None else json.dumps(answer.content).encode()
                try:
                    self.send_response(answer.status)
                    for name, value in {"Content-Type": "application/json", "Content-Length": str(len(data)), **answer.headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True

            do_GET = do_POST = handle_any

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def handle_error(self, *_):
                pass

        self.server = Server(address, Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def _answer(self, request):
        with self.lock:
            self.requests.append(request)
            queue = self.once.get(request.path)
            plan = queue.popleft() if queue else self.always.get(request.path)
            if callable(plan):
                plan = plan(request)
            return self.serve(request) if plan is None else plan

    def serve(self, request) -> Answer:
        return Answer(404, {})

    def set(self, path, plan):
        """Answers each request for the path with this from now on; None serves again."""
        with self.lock:
            self.always[path] = plan

    def next(self, path, *plans):
        """Answers the next requests for the path with these."""
        with self.lock:
            self.once.setdefault(path, deque()).extend(plans)

    def asked(self, path) -> list[Request]:
        with self.lock:
            return [request for request in self.requests if request.path == path]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class JSONBackend(Web):
    """The provider `http`."""

    PHONE, PASSWORD = "139****4711", "open sesame, please"

    def __init__(self):
        super().__init__()
        self.page = {"account": "ali", "nickname": "Ali Baba", "headimg": "http://img.invalid/ali.png", "user_mobile_mask": self.PHONE,
                     "balance": "100", "coupon_num": "3"}
        self.tokens: set[str] = set()
        self.delivered: dict[str, str] = {}
        """Messages by idempotency key."""
        self.count = 0

    def serve(self, request):
        if request.path == "/login":
            if request.json != {"account": "ali", "password": self.PASSWORD}:
                return Answer(401, {"status": "error", "error_desc": "no such thief"})
            self.count += 1
            token = f"tok-{self.count}-e5b1c0ffee"
            self.tokens.add(token)
            return Answer(200, {"token": token, "auto_login": self.page})
        if request.path == "/auto_login":
            if request.bearer not in self.tokens:
                return Answer(200, {"status": "error", "error_desc": "the cave is closed"})
            return Answer(200, {"status": "ok", "auto_login": self.page})
        if request.path == "/logout":
            self.tokens.discard(request.bearer)
            return Answer(200, {"status": "ok"})
        if request.path == "/messages":
            if request.bearer not in self.tokens:
                return Answer(401, {"status": "error", "error_desc": "the cave is closed"})
            key = request.headers["idempotency-key"]
            is_new = key not in self.delivered
            self.delivered.setdefault(key, request.json["text"])
            return Answer(201 if is_new else 200, {"status": "ok"})
        return Answer(404, {})


class OAuthIssuer(Web):
    """The provider `oauth`: discovery, token, device, userinfo, revocation."""

    PASSWORD = "open sesame, please"

    def __init__(self, *how):
        super().__init__(*how)
        self.access: set[str] = set()
        self.refresh: set[str] = set()
        self.count = 0
        self.user = {"sub": "u1", "preferred_username": "ali", "nickname": "Ali Baba", "phone_number": "+8613912344711", "picture": None}
        self.device = {"device_code": "dev-c0de-5ecret", "user_code": "ABCD-EFGH", "verification_uri": "https://a.invalid/device",
                       "verification_uri_complete": "https://a.invalid/device?c=ABCD-EFGH", "expires_in": 600, "interval": 1}
        self.granted = False

    def tokens(self):
        self.count += 1
        access, refresh = f"acc-{self.count}-e5b1c0ffee", f"ref-{self.count}-decafbad"
        self.access.add(access)
        self.refresh.add(refresh)
        return Answer(200, {"access_token": access, "token_type": "Bearer", "refresh_token": refresh, "expires_in": 3600})

    def serve(self, request):
        path = request.path
        if path in ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"):
            return Answer(200, {
                "issuer": self.url, "token_endpoint": self.url + "/token", "device_authorization_endpoint": self.url + "/device",
                "userinfo_endpoint": self.url + "/userinfo", "revocation_endpoint": self.url + "/revoke",
                "authorization_endpoint": self.url + "/authorize", "response_types_supported": ["code"]})
        if path == "/device":
            return Answer(200, self.device)
        if path == "/token":
            form = request.form
            kind = form.get("grant_type")
            if kind == "password":
                good = form.get("username") == "ali" and form.get("password") == self.PASSWORD
                return self.tokens() if good else refusal("invalid_grant", "no such thief")
            if kind == "refresh_token":
                if form["refresh_token"] not in self.refresh:
                    return refusal("invalid_grant", "the cave is closed")
                self.refresh.discard(form["refresh_token"])
                return self.tokens()
            if kind == "urn:ietf:params:oauth:grant-type:device_code":
                return self.tokens() if self.granted else refusal("authorization_pending")
            return refusal("unsupported_grant_type")
        if path == "/userinfo":
            return Answer(200, self.user) if request.bearer in self.access else refusal("invalid_token", "the cave is closed", 401)
        if path == "/revoke":
            self.access.discard(request.form["token"])
            self.refresh.discard(request.form["token"])
            return Answer(200, {})
        return Answer(404, {})


def refusal(error, text=None, status=400) -> Answer:
    return Answer(status, {"error": error, **({"error_description": text} if text else {})})


def oauth_config(issuer, **oauth) -> dict:
    """The configuration of a daemon whose accounts live with the issuer."""
    return {"account": {"provider": "oauth", "url": issuer.url,
                        "oauth": {"issuer": issuer.url, "clientId": "black-box", "passwordGrant": True, **oauth}}}
