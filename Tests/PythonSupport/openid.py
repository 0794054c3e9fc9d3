"""An OpenID provider on 127.0.0.1 whose tokens a test can spoil, and browsers that sign in with it at a gateway."""
from __future__ import annotations

import base64
import hashlib
import http.client
import json
import os
import secrets
import subprocess
import time
import urllib.parse

import pytest
from cryptography.hazmat.primitives import hashes, hmac, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from daemons import REQUIRE_ALL, Daemon
from gateways import Gateway, Reply, WebSocket, free_port
from web import Answer, OAuthIssuer, refusal
from wire import connected

HOST = "gateway.example"
HINT = "__Secure-viewmodel-sign-out"


def encoded(data: bytes | dict) -> str:
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decoded(text: str) -> dict:
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


class Key:
    """A key of a provider."""

    def __init__(self, algorithm="RS256", name="one"):
        self.algorithm, self.name = algorithm, name
        if algorithm[:2] in ("RS", "PS"):
            self.private = rsa.generate_private_key(65537, 2048)
        else:
            self.private = ec.generate_private_key(ec.SECP256R1()) if algorithm == "ES256" else ed25519.Ed25519PrivateKey.generate()

    @property
    def public(self) -> dict:
        """The key in the provider's set."""
        common = {"kid": self.name, "use": "sig", "alg": self.algorithm}
        public = self.private.public_key()
        if self.algorithm == "EdDSA":
            raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
            return {**common, "kty": "OKP", "crv": "Ed25519", "x": encoded(raw)}
        numbers = public.public_numbers()
        if self.algorithm == "ES256":
            return {**common, "kty": "EC", "crv": "P-256", "x": encoded(numbers.x.to_bytes(32, "big")), "y": encoded(numbers.y.to_bytes(32, "big"))}
        return {**common, "kty": "RSA", "n": encoded(numbers.n.to_bytes(256, "big")), "e": "AQAB"}

    def sign(self, data: bytes) -> bytes:
        if self.algorithm == "EdDSA":
            return self.private.sign(data)
        if self.algorithm == "ES256":
            r, s = utils.decode_dss_signature(self.private.sign(data, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        scheme = padding.PSS(padding.MGF1(hashes.SHA256()), 32) if self.algorithm == "PS256" else padding.PKCS1v15()
        return self.private.sign(data, scheme, hashes.SHA256())

    def token(self, claims: dict, **header) -> str:
        text = encoded({"alg": self.algorithm, "kid": self.name, "typ": "JWT", **header}) + "." + encoded(claims)
        return text + "." + encoded(self.sign(text.encode()))

    def confused(self, claims: dict, secret: bytes | None = None) -> str:
        """A token that is signed with a secret, by default the public key as if it were one."""
        pem = secret or self.private.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        text = encoded({"alg": "HS256", "kid": self.name}) + "." + encoded(claims)
        code = hmac.HMAC(pem, hashes.SHA256())
        code.update(text.encode())
        return text + "." + encoded(code.finalize())


class OpenIDIssuer(OAuthIssuer):
    """A provider with the code flow."""

    CLIENT = "the gateway"

    def __init__(self, *how):
        super().__init__(*how)
        self.keys = [Key()]
        self.people = {"ada": {"name": "Ada Lovelace", "groups": ["staff"]}, "bob": {"name": "Bob", "groups": ["wardens"]},
                       "eve": {"name": "Eve", "groups": ["guests"]}}
        self.person = "ada"
        """Who signs in next."""
        self.lifetime = 3600
        self.codes: dict[str, dict] = {}
        self.answer = ""
        """Where the last browser was sent."""
        self.owners: dict[str, str] = {}
        """The people of the tokens."""
        self.spoil = lambda claims: claims
        self.sign = lambda claims: self.keys[-1].token(claims)

    def claims(self, person, **more) -> dict:
        now = int(time.time())
        return {"iss": self.url, "sub": person, "aud": self.CLIENT, "iat": now, "exp": now + 300, **more}

    def tokens_of(self, person, **more) -> Answer:
        answer = self.tokens()
        answer.content["expires_in"] = self.lifetime
        self.owners[answer.content["access_token"]] = self.owners[answer.content["refresh_token"]] = person
        answer.content["id_token"] = self.sign(self.spoil(self.claims(person, sid=f"sid of {person}", **more)))
        return answer

    def revoke(self, person):
        """Ends the tokens of a person."""
        for token in [token for token, owner in self.owners.items() if owner == person]:
            self.access.discard(token)
            self.refresh.discard(token)

    def serve(self, request):
        path, _, query = request.path.partition("?")
        form = {**dict(urllib.parse.parse_qsl(query)), **request.form} if "json" not in request.headers.get("content-type", "") else {}
        if path == "/.well-known/openid-configuration":
            names = {"authorization_endpoint": "authorize", "token_endpoint": "token", "userinfo_endpoint": "userinfo", "jwks_uri": "jwks",
                     "revocation_endpoint": "revoke", "end_session_endpoint": "end"}
            return Answer(200, {"issuer": self.url, **{name: f"{self.url}/{end}" for name, end in names.items()}})
        if path == "/jwks":
            unknown = {"kty": "unknown", "kid": "new"}
            return Answer(200, {"keys": [unknown, *(key.public for key in self.keys)]})
        if path == "/end":
            return Answer(302, {}, headers={"Location": form["post_logout_redirect_uri"]})
        if path == "/authorize":
            assert form["response_type"] == "code" and form["client_id"] == self.CLIENT and "openid" in form["scope"].split()
            assert form["code_challenge_method"] == "S256"
            code = secrets.token_hex(8)
            self.codes[code] = {**form, "person": self.person}
            back = urllib.parse.urlencode({"code": code, "state": form["state"]})
            self.answer = f"{form['redirect_uri']}?{back}"
            return Answer(302, {}, headers={"Location": self.answer})
        if path == "/token" and form.get("grant_type") == "authorization_code":
            asked = self.codes.pop(form["code"], None)
            if not asked:
                return refusal("invalid_grant", "the code was used")
            challenge = encoded(hashlib.sha256(form["code_verifier"].encode()).digest())
            if challenge != asked["code_challenge"] or form["redirect_uri"] != asked["redirect_uri"]:
                return refusal("invalid_grant", "the code is for another sign-in")
            return self.tokens_of(asked["person"], nonce=asked["nonce"])
        if path == "/token" and form.get("grant_type") == "refresh_token":
            owner = self.owners.get(form["refresh_token"])
            if form["refresh_token"] not in self.refresh:
                return refusal("invalid_grant")
            self.refresh.discard(form["refresh_token"])
            return self.tokens_of(owner)
        if path == "/userinfo":
            if request.bearer not in self.access:
                return refusal("invalid_token", status=401)
            owner = self.owners[request.bearer]
            return Answer(200, {"sub": owner, **self.people[owner]})
        return super().serve(request)


@pytest.fixture
def provider():
    server = OpenIDIssuer()
    yield server
    server.close()


def config(issuer_url, **openid) -> dict:
    """The section `gateway` in team mode."""
    rules = [{"groups": "staff", "scope": "act"}, {"groups": "wardens", "scope": "admin"}]
    return {"hosts": HOST, "openid": {"issuer": issuer_url, "clientID": OpenIDIssuer.CLIENT, "roles": rules, **openid}}


class Seal:
    """Reads and writes the cookies of gateways with a key, as another one of them does."""

    def __init__(self, issuer: OpenIDIssuer, key: bytes):
        info = f"viewmodel-gateway {issuer.url} {issuer.CLIENT}"
        self.cipher = AESGCM(HKDF(hashes.SHA256(), 32, None, info.encode()).derive(key))

    def open(self, value: str, name: str) -> dict:
        data = base64.urlsafe_b64decode(value + "=" * (-len(value) % 4))
        return json.loads(self.cipher.decrypt(data[:12], data[12:], name.encode()))

    def seal(self, content: dict, name: str) -> str:
        nonce = os.urandom(12)
        return encoded(nonce + self.cipher.encrypt(nonce, json.dumps(content).encode(), name.encode()))


class TeamGateway(Gateway):
    """A gateway in team mode, on a socket for a proxy. It runs as a user without rights of its own."""

    USER = 5000
    prefix = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--"]

    def __init__(self, daemon: Daemon, issuer_url, key: bytes, **openid):
        super().__init__(daemon, config(issuer_url, **openid))
        self.listen = str(self.folder / "proxy.sock")
        self.key = key
        os.chown(self.folder, self.USER, self.USER)
        self.config["gateway"]["keyFile"] = self.keep("key", base64.b64encode(key) + b"\n")

    def keep(self, name, content: bytes) -> str:
        """Writes a file that only the gateway's user reads, and returns its path."""
        file = self.folder / name
        file.write_bytes(content)
        file.chmod(0o600)
        os.chown(file, self.USER, self.USER)
        return str(file)

    def with_tls(self):
        """Listens on a port for browsers, as their `HOST`."""
        key, certificate = self.folder / "tls-key", self.folder / "certificate"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", f"/CN={HOST}", "-keyout", key, "-out", certificate], check=True, capture_output=True)
        for file in (key, certificate):
            os.chown(file, self.USER, self.USER)
        self.config["gateway"]["tls"] = {"certificateFile": str(certificate), "keyFile": str(key)}
        self.listen = f"127.0.0.1:{free_port()}"
        return self

    @property
    def for_browsers(self) -> dict:
        """The options of a browser that finds this gateway as `HOST`, and accepts its certificate."""
        return {"accepts_any_certificate": True, "arguments": [f"--host-resolver-rules=MAP {HOST} {self.listen}"]}

    def url(self, scope) -> str:
        """The address of the socket. There are no one-time tokens."""
        return f"https://{self.listen}/"


class Visitor:
    """A browser: its cookies, at the gateways of one host."""

    host, base = HOST, "/"

    def __init__(self, gateway: Gateway):
        self.gateway = gateway
        self.cookies: dict[str, str] = {}
        self.hint = ""
        """The cookie that is for the sign-out only."""

    @property
    def origin(self) -> str:
        return f"https://{self.host}"

    def connect(self, gateway: Gateway):
        return connected(gateway.listen)

    @property
    def header(self) -> dict:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}

    def request(self, method, path, headers=None, body=None, *, gateway=None) -> Reply:
        gateway = gateway or self.gateway
        cookies = self.header
        if self.hint and path == self.base + "sign-out":
            cookies = {"Cookie": "; ".join([*cookies.values(), f"{HINT}={self.hint}"])}
        reply = gateway.request(method, path, {**cookies, **(headers or {})}, body, host=self.host, via=self.connect(gateway))
        for cookie in reply.headers.get_all("Set-Cookie") or []:
            pair, *attributes = cookie.split("; ")
            name, _, value = pair.partition("=")
            if name == HINT:
                assert {f"Path={self.base}sign-out", "Secure", "HttpOnly", "SameSite=Strict"} <= set(attributes), cookie
                self.hint = value
                continue
            assert name.startswith("__Host-") and {"Path=/", "Secure", "HttpOnly", "SameSite=Lax"} <= set(attributes), cookie
            if "Max-Age=0" in attributes:
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value
        return reply

    def get(self, path, headers=None, **how) -> Reply:
        return self.request("GET", path, headers, **how)

    def post(self, path, body, **how) -> Reply:
        return self.request("POST", path, {"Origin": self.origin}, body, **how)

    def begin(self, path="/") -> str:
        """Opens a page, and returns the address at the provider that it leads to."""
        reply = self.get(path)
        assert reply.status == 303, reply
        reply = self.get(reply.headers["Location"])
        assert reply.status == 303, reply
        return reply.headers["Location"]

    def finish(self, answer: str) -> Reply:
        """Follows the provider's answer back to the gateway."""
        address = urllib.parse.urlsplit(answer)
        assert f"{address.scheme}://{address.netloc}{address.path}" == f"{self.origin}{self.base}signed-in"
        return self.get(f"{self.base}signed-in?{address.query}")

    def sign_in(self, issuer: OpenIDIssuer, person="ada", path="/") -> Reply:
        issuer.person = person
        return self.finish(self.ask_provider(self.begin(path)))

    def ask_provider(self, address: str) -> str:
        return provider_answer(address)

    def sign_in_again(self, issuer: OpenIDIssuer, person: str) -> Reply:
        """Signs in while somebody is signed in."""
        issuer.person = person
        return self.finish(provider_answer(self.get("/sign-in").headers["Location"]))

    def rpc(self, method, params=None, *, session=None, **how):
        """The result of a request, or the error."""
        message = {"jsonrpc": "2.0", "id": 1, "method": method, **({} if params is None else {"params": params})}
        reply = self.post("/rpc" + (f"?session={session}" if session else ""), message, **how)
        assert reply.status == 200, reply
        return reply.json.get("result", reply.json.get("error"))

    def web_socket(self, gateway=None) -> WebSocket:
        gateway = gateway or self.gateway
        return WebSocket(gateway, {**self.header, "Host": self.host, "Origin": self.origin}, via=self.connect(gateway))

    @property
    def person(self) -> dict | None:
        """What the gateway knows of the person; None for nobody."""
        reply = self.get("/session")
        assert reply.status in (200, 401), reply
        return reply.json if reply.status == 200 else None


def provider_answer(address: str, connection=None) -> str:
    """The address to which a provider without a page of its own sends the browser."""
    parts = urllib.parse.urlsplit(address)
    connection = connection or http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.request("GET", f"{parts.path}?{parts.query}")
    reply = connection.getresponse()
    reply.read()
    assert reply.status == 302, reply.status
    return reply.headers["Location"]


needs_glewlwyd = pytest.mark.skipif(not REQUIRE_ALL and "GLEWLWYD_URL" not in os.environ, reason="GLEWLWYD_URL names no provider")


class Glewlwyd:
    """The real provider of `.ci/glewlwyd`, and what its page does for a person."""

    PASSWORD = "correct horse battery"

    def __init__(self):
        self.url = os.environ["GLEWLWYD_URL"]
        self.issuer = f"{self.url}/api/oidc"

    def gateway(self, daemon: Daemon) -> TeamGateway:
        """A gateway at which people sign in with this provider."""
        rules = [{"groups": "staff", "scope": "act"}, {"groups": "wardens", "scope": "admin"}]
        gateway = TeamGateway(daemon, self.issuer, secrets.token_bytes(32), clientID="gateway", scopes="openid", roles=rules)
        gateway.config["gateway"]["openid"]["clientSecretFile"] = gateway.keep("secret", b"s3cret\n")
        return gateway

    def approve(self, person, address) -> str:
        """Signs in, allows the gateway what it asks for, and returns where the browser is sent."""
        def send(method, target, content=None, cookie=None):
            headers = {"Content-Type": "application/json", **({"Cookie": cookie} if cookie else {})}
            connection = http.client.HTTPConnection(urllib.parse.urlsplit(self.url).netloc, timeout=10)
            connection.request(method, target.removeprefix(self.url), content and json.dumps(content), headers)
            reply = connection.getresponse()
            body = reply.read()
            assert reply.status < 400, (reply.status, body)
            return reply
        reply = send("POST", "/api/auth/", {"username": person, "password": self.PASSWORD})
        cookie = reply.headers["Set-Cookie"].split(";")[0]
        send("PUT", "/api/auth/grant/gateway", {"scope": "openid"}, cookie)
        return send("GET", address + "&g_continue", cookie=cookie).headers["Location"]
