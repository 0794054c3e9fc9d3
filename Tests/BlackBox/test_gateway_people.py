"""People who sign in at an OpenID provider, good and hostile ones."""
import hashlib
import html
import re
import secrets
import subprocess
import threading
import time
import urllib.parse

import pytest
from daemons import Daemon, root_only
from gateways import Gateway, WebSocket
from openid import HOST, Glewlwyd, Key, OpenIDIssuer, Seal, TeamGateway, Visitor, config, decoded, encoded, needs_glewlwyd, provider_answer
from web import Answer, HangUp, Request
from wire import connected, wait_until

pytestmark = root_only

SESSION = "__Host-viewmodel-person"


@pytest.fixture(scope="module")
def front_daemon(request):
    """A daemon that lets the gateway act for people."""
    daemon = Daemon({"access": [{"user": TeamGateway.USER, "scope": "delegate"}]}, shared=True)
    request.addfinalizer(daemon.discard)
    return daemon.start()


@pytest.fixture
def team(front_daemon, request):
    """Starts gateways in team mode, which share a key."""
    shared = secrets.token_bytes(32)

    def start(issuer, key=shared, daemon=front_daemon, limits=None, **openid):
        gateway = TeamGateway(daemon, issuer.url, key, **openid)
        gateway.config["gateway"]["limits"] = limits or {}
        request.addfinalizer(gateway.discard)
        return gateway.start()
    return start


@pytest.fixture
def gateway(team, provider):
    return team(provider)


@pytest.fixture
def visitor(gateway):
    return Visitor(gateway)


def without_hashes(log) -> str:
    """A log without the hashes and identifiers, which may contain a name by chance."""
    return re.sub("[0-9a-f]{8,}", "", log)


def test_a_person_signs_in_and_comes_back_to_the_page(visitor, provider, gateway):
    reply = visitor.sign_in(provider, path="/app/?session=desk")
    assert reply.status == 303 and reply.headers["Location"] == "/app/?session=desk", reply
    assert list(visitor.cookies) == [SESSION]
    subject = hashlib.sha256(f"{provider.url}|ada".encode()).hexdigest()
    assert visitor.person == {"scope": "act", "person": subject, "name": "Ada Lovelace"}
    assert visitor.get("/app/?session=desk").status == 200
    log = gateway.log
    assert "Signed in" in log and "ada" not in without_hashes(log)


def test_a_browser_without_a_sign_in_gets_no_page_and_no_daemon(visitor):
    for path in ("/", "/app/"):
        assert visitor.get(path).status == 303
    assert visitor.get("/session").status == 401
    assert visitor.get("/events?id=calculator").status == 401
    assert visitor.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": "session.list"}).status == 401
    assert visitor.get("/main.js").status == 200


def changed(**claims):
    return lambda valid: {name: value for name, value in {**valid, **claims}.items() if value is not None}


SPOILED = {
    "nonce": changed(nonce="another"), "no nonce": changed(nonce=None), "audience": changed(aud="another"),
    "audiences": changed(aud=["the gateway", "another"]), "party": changed(azp="another"), "issuer": changed(iss="http://127.0.0.1:1"),
    "expired": changed(exp=int(time.time()) - 61), "no end": changed(exp=None), "from tomorrow": changed(iat=int(time.time()) + 86400),
    "not before": changed(nbf=int(time.time()) + 3600), "no subject": changed(sub=None), "empty subject": changed(sub=""),
    "numbers": changed(exp="9999999999"), "long subject": changed(sub="s" * 600), "type of the party": changed(azp=5),
    "type of not before": changed(nbf="1"),
}


@pytest.mark.parametrize("claims", SPOILED.values(), ids=SPOILED)
def test_an_id_token_for_something_else_lets_nobody_in(visitor, provider, claims):
    provider.spoil = claims
    reply = visitor.sign_in(provider)
    assert reply.status == 400 and b"The sign-in failed" in reply.body, reply
    assert not visitor.cookies and visitor.person is None


SIGNED = {
    "none": lambda claims, key: encoded({"alg": "none"}) + "." + encoded(claims) + ".",
    "None": lambda claims, key: encoded({"alg": "None", "kid": "one"}) + "." + encoded(claims) + ".",
    "no signature": lambda claims, key: key.token(claims).rsplit(".", 1)[0] + ".",
    "public key as secret": lambda claims, key: key.confused(claims),
    "secret": lambda claims, key: key.confused(claims, b"the secret of the gateway"),
    "another key": lambda claims, key: Key().token(claims),
    "another key of an unknown name": lambda claims, key: Key(name="two").token(claims),
    "another algorithm": lambda claims, key: Key("ES256").token(claims),
    "PSS by a key for PKCS #1": lambda claims, key: key.token(claims, alg="PS256"),
    "extension": lambda claims, key: key.token(claims, crit=["b64"], b64=False),
    "type of the type": lambda claims, key: key.token(claims, typ=5),
    "own key": lambda claims, key: (lambda own: own.token(claims, jwk=own.public))(Key()),
    "changed": lambda claims, key: ".".join([*key.token(claims).split(".")[:1], encoded({**claims, "sub": "bob"}), key.token(claims).split(".")[2]]),
    "two parts": lambda claims, key: "a.b",
    "not a token": lambda claims, key: "…",
}


@pytest.mark.parametrize("sign", SIGNED.values(), ids=SIGNED)
def test_an_id_token_that_the_provider_did_not_sign_lets_nobody_in(visitor, provider, sign):
    provider.sign = lambda claims: sign(claims, provider.keys[0])
    reply = visitor.sign_in(provider)
    assert reply.status in (400, 503), reply
    assert not visitor.cookies and visitor.person is None


def test_a_person_without_a_subject_is_nobody(visitor, provider):
    provider.spoil = changed(sub=None)
    provider.set("/userinfo", Answer(200, {"sub": "", "groups": ["staff"]}))
    assert visitor.sign_in(provider).status == 400 and visitor.person is None


@pytest.mark.parametrize("algorithm", ["RS256", "PS256", "ES256", "EdDSA"])
def test_each_algorithm_works(visitor, provider, algorithm):
    provider.keys = [Key(algorithm)]
    visitor.sign_in(provider)
    assert visitor.person


def test_clocks_may_differ_by_half_a_minute(visitor, provider):
    provider.spoil = changed(exp=int(time.time()) - 30, iat=int(time.time()) + 30)
    visitor.sign_in(provider)
    assert visitor.person


def test_new_keys_of_the_provider_are_asked_for_once(visitor, provider):
    visitor.sign_in(provider)
    provider.keys.append(Key(name="two"))
    time.sleep(10)      # The least time between two requests for the keys.
    visitor.cookies.clear()
    visitor.sign_in(provider)
    assert visitor.person and len(provider.asked("/jwks")) == 2
    for _ in range(3):
        stranger = Visitor(visitor.gateway)
        provider.sign = lambda claims: Key(name=secrets.token_hex(4)).token(claims)
        assert stranger.sign_in(provider).status == 400
    assert len(provider.asked("/jwks")) == 2


def test_a_provider_without_keys_is_asked_for_them_once_in_ten_seconds(gateway, provider):
    answered = threading.Event()
    provider.set("/jwks", Answer(500, {}, after=answered))
    senders = [threading.Thread(target=log_out, args=(gateway, provider)) for _ in range(30)]
    for sender in senders:
        sender.start()
    time.sleep(1)       # More questions would be under way by now.
    answered.set()
    for sender in senders:
        sender.join()
    assert log_out(gateway, provider) == 400
    assert len(provider.asked("/jwks")) == 1


def test_a_set_has_64_keys_at_most(gateway, provider):
    provider.keys = [Key("EdDSA", str(name)) for name in range(64)] + [Key(name="last")]
    assert Visitor(gateway).sign_in(provider).status == 400


@pytest.mark.parametrize("path", ["/jwks", "/token", "/userinfo"])
@pytest.mark.parametrize("answer", ["redirect", "10 MB"])
def test_a_provider_leads_nowhere_else_and_fills_no_memory(visitor, provider, path, answer):
    other = OpenIDIssuer()
    provider.set(path, Answer(307, {}, headers={"Location": other.url + path}) if answer == "redirect" else Answer(200, raw=b"[" + b"1," * 5_000_000 + b"1]"))
    assert visitor.sign_in(provider).status == 503 and visitor.person is None
    assert not other.requests
    other.close()


def test_a_code_and_a_state_are_good_for_one_sign_in_of_one_browser(visitor, provider):
    answer = provider_answer(visitor.begin())
    thief = Visitor(visitor.gateway)
    assert thief.finish(answer).status == 400
    thief.begin()
    assert thief.finish(answer).status == 400
    before = dict(visitor.cookies)
    assert visitor.finish(answer).status == 303
    asked = len(provider.asked("/token"))
    thief.cookies = before
    assert thief.finish(answer).status == 400 and len(provider.asked("/token")) == asked
    # A code of another sign-in, which the provider refuses.
    answer, other = provider_answer(thief.begin()), provider_answer(visitor.get("/sign-in").headers["Location"])
    state = answer.split("state=")[1]
    assert thief.finish(other.split("&state=")[0] + "&state=" + state).status == 400
    assert thief.person is None


def test_an_answer_of_another_issuer_lets_nobody_in(visitor, provider, team):
    def finish(visitor, issuer=None):
        return visitor.finish(provider_answer(visitor.begin()) + (f"&iss={urllib.parse.quote(issuer, safe='')}" if issuer else "")).status
    assert finish(visitor, "https://evil.example") == 400 and finish(visitor, provider.url) == 303
    metadata = provider.serve(Request("GET", "/.well-known/openid-configuration", {}, b"")).content
    provider.set("/.well-known/openid-configuration", Answer(200, {**metadata, "authorization_response_iss_parameter_supported": True}))
    careful = Visitor(team(provider))
    assert finish(careful) == 400 and finish(careful, provider.url) == 303


def test_a_provider_that_is_away_lets_nobody_in(visitor, provider, team):
    answer = provider_answer(visitor.begin())
    provider.next("/token", HangUp())
    reply = visitor.finish(answer)
    assert reply.status == 503 and b"does not answer" in reply.body and reply.headers["Retry-After"]
    provider.set("/userinfo", Answer(500, {}))
    assert visitor.sign_in(provider).status == 503
    provider.close()
    late = Visitor(team(provider))
    reply = late.get("/sign-in")
    assert reply.status == 503 and b"does not answer" in reply.body
    assert visitor.person is None and late.person is None


def test_userinfo_of_another_person_lets_nobody_in(visitor, provider):
    provider.set("/userinfo", Answer(200, {"sub": "bob", "groups": ["wardens"]}))
    assert visitor.sign_in(provider).status == 400
    assert visitor.person is None


def test_refused_consent_has_a_page_and_a_problem_is_shown_as_text(visitor, provider):
    state = visitor.begin().split("&state=")[1].split("&")[0]
    reply = visitor.get(f"/signed-in?error=access_denied&state={state}")
    assert reply.status == 400 and b"It was refused at the provider" in reply.body
    state = visitor.begin().split("&state=")[1].split("&")[0]
    reply = visitor.get(f"/signed-in?error=%3Cscript%3E&state={state}")
    assert reply.status == 400 and b"&lt;script" in reply.body and b"<script" not in reply.body
    for query in ("", "?code=1", "?state=1", "?code=1&state=1"):
        assert visitor.get("/signed-in" + query).status == 400


@pytest.mark.parametrize("path", ["//evil.example", "https://evil.example", "/\\evil.example", "/%09/evil.example", "\\\\evil.example", "/\n/evil.example",
                                  "/sign-in?return=/", "javascript:alert(1)", "", "/" + "a" * 2000])
def test_the_way_back_stays_on_the_host(visitor, provider, path):
    address = visitor.get("/sign-in?return=" + urllib.parse.quote(path, safe="")).headers["Location"]
    reply = visitor.finish(provider_answer(address))
    assert reply.status == 303 and reply.headers["Location"] in ("/", "/%09/evil.example"), reply


def test_another_try_leads_back_to_where_the_person_was(visitor, provider, team):
    path = "/app/?session=desk&instance=send%20list"

    def leads_back(reply):
        link = html.unescape(reply.body.decode().split('<a href="')[1].split('"')[0])
        provider.person = "ada"
        location = visitor.finish(provider_answer(visitor.get("/" + link).headers["Location"])).headers["Location"]
        visitor.cookies.clear()
        return location
    assert leads_back(visitor.sign_in(provider, "eve", path)) == path
    address = visitor.begin(path)
    assert leads_back(visitor.get("/signed-in?error=access_denied&state=" + address.split("&state=")[1].split("&")[0])) == path
    provider.next("/token", HangUp())
    answer = provider_answer(visitor.begin(path))
    assert leads_back(visitor.finish(answer)) == path
    # Only the cookie knows the way back.
    assert leads_back(visitor.finish(answer)) == leads_back(visitor.get("/signed-in?state=1&return=//evil.example")) == "/"
    provider.close()
    address = "sign-in?return=" + urllib.parse.quote(path, safe="")
    assert address.encode() in Visitor(team(provider)).get("/" + address).body


def test_claims_without_room_are_no_missing_role(visitor, provider):
    provider.people["ada"]["picture"] = "x" * 17_000
    reply = visitor.sign_in(provider)
    assert reply.status == 400 and b"claims of the provider are too long" in reply.body and b"no role" not in reply.body


def test_a_person_without_a_role_is_told_so(visitor, provider, gateway):
    reply = visitor.sign_in(provider, "eve")
    assert reply.status == 403 and b"signed in as Eve, who has no role" in reply.body
    link = html.unescape(reply.body.decode().split('<a href="')[1].split('"')[0])
    assert "&prompt=login" in visitor.get("/" + link).headers["Location"], "the provider asks, and does not take the same person"
    assert "prompt=" not in visitor.begin("/")
    assert visitor.person is None and "has no role" in gateway.log and "eve" not in gateway.log


def test_a_rule_without_a_claim_is_for_everybody_and_the_widest_scope_counts(team, provider):
    gateway = team(provider, roles=[{"scope": "observe"}, {"groups": "wardens", "scope": "admin"}, {"realm.roles": "boss", "scope": "act"}])
    provider.people["ada"]["realm"] = {"roles": ["boss"]}
    for person, scope in (("eve", "observe"), ("bob", "admin"), ("ada", "act")):
        visitor = Visitor(gateway)
        visitor.sign_in(provider, person)
        assert visitor.person["scope"] == scope


def test_gateways_with_the_key_accept_the_cookie_and_others_refuse_it(visitor, provider, team):
    visitor.sign_in(provider)
    assert visitor.get("/session", gateway=team(provider)).status == 200
    for stranger in (team(provider, key=secrets.token_bytes(32)), team(provider, clientID="another")):
        assert visitor.get("/session", gateway=stranger).status == 401
    value = visitor.cookies[SESSION]
    for index in (0, 20, len(value) // 2, len(value) - 2):
        visitor.cookies[SESSION] = value[:index] + ("A" if value[index] != "A" else "B") + value[index + 1:]
        assert visitor.person is None
    visitor.cookies[SESSION] = value
    # The cookie of a sign-in that is under way is no session.
    visitor.get("/sign-in")
    pending = next(cookie for name, cookie in visitor.cookies.items() if name != SESSION)
    visitor.cookies = {SESSION: pending}
    assert visitor.person is None


def test_a_sign_in_at_one_gateway_is_finished_at_another_one(visitor, provider, team):
    answer = provider_answer(visitor.begin())
    visitor.gateway = team(provider)
    assert visitor.finish(answer).status == 303 and visitor.person


def test_a_cookie_of_a_gateway_with_another_clock_shows_no_revocation_away(visitor, provider, team):
    visitor.sign_in(provider)
    seal = Seal(provider, visitor.gateway.key)
    ticket = seal.open(visitor.cookies[SESSION], SESSION)

    def status(**seconds):
        late = Visitor(team(provider, key=visitor.gateway.key))
        late.cookies[SESSION] = seal.seal({**ticket, **{name: ticket[name] + count for name, count in seconds.items()}}, SESSION)
        return late.get("/session").status
    assert status(checked=50, used=50, began=50) == status(checked=-50) == status(checked=-600, used=-600, began=-600) == 200
    # Used up: the times without use and altogether, and the time of a clock that is ahead.
    assert status(used=-3600) == status(began=-43200) == status(began=600, used=600) == 401
    provider.revoke("ada")
    assert status(checked=600) == status(checked=50) == status(checked=-61) == 401


def test_a_web_socket_that_waited_for_the_provider_is_answered_at_once(visitor, provider, team):
    visitor.sign_in(provider)
    seal = Seal(provider, visitor.gateway.key)
    ticket = seal.open(visitor.cookies[SESSION], SESSION)
    late = Visitor(team(provider, key=visitor.gateway.key))
    late.cookies[SESSION] = seal.seal({**ticket, "checked": ticket["checked"] - 61}, SESSION)
    with late.web_socket() as socket:
        assert "result" in socket.call("session.list")


def test_a_copy_of_a_cookie_ends_at_all_gateways_a_minute_after_the_sign_out(visitor, provider, team):
    visitor.sign_in(provider)
    seal, other = Seal(provider, visitor.gateway.key), team(provider, key=visitor.gateway.key)
    thief = Visitor(visitor.gateway)
    thief.cookies = dict(visitor.cookies)
    visitor.post("/sign-out", {})
    assert thief.person is None
    ticket = seal.open(thief.cookies[SESSION], SESSION)
    thief.cookies[SESSION] = seal.seal({**ticket, "checked": ticket["checked"] - 61}, SESSION)
    visitor.gateway.restart()
    for gateway in (visitor.gateway, other):
        assert thief.get("/session", gateway=gateway).status == 401


def test_a_sign_in_ends_the_one_before_in_the_same_browser(visitor, provider):
    visitor.sign_in(provider)
    former = Visitor(visitor.gateway)
    former.cookies = dict(visitor.cookies)
    with visitor.web_socket() as open_page:
        assert "result" in open_page.call("session.list")
        visitor.sign_in_again(provider, "bob")
        assert open_page.closing() == 1001
    assert visitor.person["name"] == "Bob" and former.person is None


def test_the_host_without_tls_is_another_site(visitor, provider):
    visitor.sign_in(provider)
    unsafe = {"Origin": f"http://{HOST}"}
    for path in ("/rpc", "/sign-out"):
        for headers in (unsafe, {"Authorization": "Bearer x"}):
            assert visitor.request("POST", path, headers, {}).status in (401, 403)
    with pytest.raises(AssertionError, match="403"):
        WebSocket(visitor.gateway, {**visitor.header, **unsafe, "Host": HOST}, via=connected(visitor.gateway.listen))
    assert visitor.person


def test_a_person_signs_out_here_and_at_the_provider(visitor, provider):
    visitor.sign_in(provider)
    kept = dict(visitor.cookies)
    for headers in ({}, {"Origin": "https://evil.example"}):
        assert visitor.request("POST", "/sign-out", headers, {}).status == 403
    assert visitor.get("/sign-out").status == 405
    assert visitor.person
    reply = visitor.post("/sign-out", {})
    assert reply.status == 200 and reply.json["location"].startswith(provider.url + "/end?"), reply
    assert not visitor.cookies
    assert not provider.access and not provider.refresh
    visitor.cookies = kept
    assert visitor.person is None
    assert b"signed out" in visitor.get("/signed-out").body


def hint(visitor) -> dict | None:
    """The claims of the ID token with which a person is sent to the provider's sign-out."""
    reply = visitor.post(visitor.base + "sign-out", {})
    query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(reply.json["location"]).query))
    assert query["client_id"] == OpenIDIssuer.CLIENT and query["post_logout_redirect_uri"] == f"https://{HOST}{visitor.base}signed-out"
    return "id_token_hint" in query and decoded(query["id_token_hint"].split(".")[1]) or None


def test_the_sign_out_names_the_session_to_the_provider(visitor, provider, team):
    visitor.sign_in(provider)
    claims = hint(visitor)
    assert claims["sub"] == "ada" and claims["nonce"] and not visitor.hint
    # The cookie of another session, of another key, and one that was changed.
    visitor.sign_in(provider, "bob")
    former = visitor.hint
    visitor.sign_in_again(provider, "ada")
    visitor.hint = former
    assert hint(visitor) is None
    visitor.sign_in(provider)
    visitor.hint = visitor.cookies[SESSION]
    assert hint(visitor) is None
    visitor.sign_in(provider)
    visitor.hint = visitor.hint[:-2] + ("AA" if visitor.hint[-2:] != "AA" else "BB")
    assert hint(visitor) is None
    # Any gateway with the key knows it.
    visitor.sign_in(provider)
    visitor.gateway = team(provider)
    assert hint(visitor)["sub"] == "ada"


@pytest.mark.parametrize("token, session, has_room", [(1000, 0, True), (5000, 0, False), (1000, 2300, False)])
def test_a_token_without_room_in_a_cookie_is_left_out(visitor, provider, token, session, has_room):
    provider.spoil = lambda claims: {**claims, "picture": "x" * token}
    provider.people["ada"]["picture"] = "x" * session
    assert visitor.sign_in(provider).status == 303 and visitor.person
    assert bool(visitor.hint) == has_room and (hint(visitor) is not None) == has_room


def test_a_sign_out_below_a_path(provider, front_daemon, request):
    gateway = TeamGateway(front_daemon, provider.url, secrets.token_bytes(32))
    request.addfinalizer(gateway.discard)
    gateway.config["gateway"]["path"] = "/desk"
    visitor = Visitor(gateway.start())
    visitor.base = "/desk/"
    visitor.sign_in(provider, path="/desk/")
    assert hint(visitor)["sub"] == "ada"


def test_a_sign_out_does_not_wait_for_a_slow_provider(visitor, provider):
    visitor.sign_in(provider)
    answered = threading.Event()
    provider.set("/revoke", Answer(200, {}, after=answered))
    begin = time.monotonic()
    assert hint(visitor)["sub"] == "ada"
    assert time.monotonic() - begin < 6 and len(provider.asked("/revoke")) == 2
    answered.set()
    assert visitor.person is None


def log_out(gateway, provider, typ="logout+jwt", **claims) -> int:
    """The status of a sign-out by the provider."""
    event = {"http://schemas.openid.net/event/backchannel-logout": {}}
    token = provider.keys[0].token(changed(**{"events": event, "jti": secrets.token_hex(8), **claims})(provider.claims("ada")), typ=typ)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return Visitor(gateway).request("POST", "/provider-sign-out", headers, f"logout_token={token}".encode()).status


def test_the_provider_signs_a_person_out(visitor, provider, gateway):
    visitor.sign_in(provider)
    bob = Visitor(gateway)
    bob.sign_in(provider, "bob")
    now = int(time.time())
    for claims in ({"aud": "another"}, {"events": {}}, {"nonce": "1"}, {"exp": 1}, {"iat": now - 5, "exp": 2}, {"jti": None}, {"typ": "at+jwt"}, {"sub": None},
                   {"events": {"http://schemas.openid.net/event/backchannel-logout": True}}, {"sub": 1}, {"iat": now + 600}):
        assert log_out(gateway, provider, **claims) == 400, claims
    assert visitor.person and bob.person
    assert "ada" not in without_hashes(gateway.log) and "eyJ" not in gateway.log
    # An old token ends no session that began after it.
    assert log_out(gateway, provider, iat=now - 100) == 200 and visitor.person
    # The clock of the provider may be behind.
    assert log_out(gateway, provider, iat=now - 30, sid="sid of ada", jti="once") == 200
    assert visitor.person is None and bob.person
    assert log_out(gateway, provider, sub="bob", jti="once") == 400 and bob.person
    assert log_out(gateway, provider, sub="bob") == 200
    assert bob.person is None


def test_no_other_way_in_remains(gateway, visitor):
    assert visitor.get("/session", {"Authorization": f"Bearer {gateway.token}"}).status == 401
    control = connected(gateway.runtime / "viewmodel-gateway.sock")
    reply = gateway.request("POST", "/tokens", body={"scope": "act"}, host="localhost", via=control)
    assert reply.status == 403 and "gateway.openid" in reply.json["error"]
    assert visitor.post("/session", {"token": "0" * 64}).status == 403


def test_scripts_send_access_tokens_for_the_gateway(team, provider):
    gateway = team(provider, audience="https://gateway.example/")
    script = Visitor(gateway)

    def status(token):
        return script.get("/session", {"Authorization": f"Bearer {token}"}).status
    valid = {**provider.claims("ada"), "aud": ["https://gateway.example/", "more"], "groups": ["staff"]}
    assert status(provider.keys[0].token(valid)) == 200
    for claims in ({"aud": "the gateway"}, {"groups": ["guests"]}, {"exp": 1}, {"iss": "https://evil.example"}, {"nonce": "1"}, {"cnf": {"jkt": "1"}}):
        assert status(provider.keys[0].token({**valid, **claims})) == 401
    for kind, expected in (("at+jwt", 200), ("application/at+jwt", 200), ("logout+jwt", 401), ("dpop+jwt", 401)):
        assert status(provider.keys[0].token(valid, typ=kind)) == expected
    assert status(Key().token(valid)) == 401
    assert status("x") == 401
    assert script.get("/session?access_token=" + provider.keys[0].token(valid)).status == 401
    assert Visitor(team(provider)).get("/session", {"Authorization": f"Bearer {provider.keys[0].token(valid)}"}).status == 401
    # A connection ends with its token.
    brief = provider.keys[0].token({**valid, "exp": int(time.time()) - 55})
    with WebSocket(gateway, {"Host": HOST, "Origin": script.origin, "Authorization": f"Bearer {brief}"}, via=connected(gateway.listen)) as socket:
        assert "result" in socket.call("session.list")
        assert socket.closing() == 1001


def test_a_browser_keeps_a_few_pending_sign_ins(visitor):
    most = 0
    for path in ["/" + "a" * 767] * 20 + ["/"] * 20:
        assert visitor.get(f"/sign-in?return={path}").status == 303
        # The usual proxies accept headers of 8 KiB, also with a session.
        assert len(visitor.header["Cookie"]) < 4000
        most = max(most, len(visitor.cookies))
    assert most > 3


WRONG = {
    "issuer": {"issuer": "http://id.example"}, "separator": {"issuer": "https://id.example/a|b"}, "no address": {"issuer": "id.example"}, "no role": {"roles": []},
    "role": {"roles": [{"groups": "staff"}]}, "scope": {"roles": [{"groups": "staff", "scope": "delegate"}]}, "audience": {"audience": "the gateway"},
}


@pytest.mark.parametrize("openid", WRONG.values(), ids=WRONG)
def test_a_wrong_configuration_is_refused(daemon, provider, openid, tmp_path):
    settings = config(provider.url)
    settings["openid"].update(openid)
    gateway = Gateway(daemon, settings, listen=str(tmp_path / "s.sock"))
    result = subprocess.run(gateway.command("--check-config"), capture_output=True, text=True)
    assert result.returncode == 78 and "gateway.openid." in result.stderr, result


def test_team_mode_needs_tls_or_a_proxy(daemon, provider):
    gateway = Gateway(daemon, config(provider.url))
    result = subprocess.run(gateway.command("--check-config"), capture_output=True, text=True)
    assert result.returncode == 78 and "https://" in result.stderr, result


def test_two_people_have_sessions_of_their_own(gateway, provider, front_daemon):
    ada, bob = Visitor(gateway), Visitor(gateway)
    ada.sign_in(provider)
    bob.sign_in(provider, "bob")
    assert ada.rpc("sendList.draft", ["for Ada"], session="desk") is not None
    assert ada.rpc("viewModel.read", {"id": "sendList", "outputs": ["draft"]}, session="desk")["values"] == {"draft": "for Ada"}
    assert bob.rpc("viewModel.read", {"id": "sendList", "outputs": ["draft"]}, session="desk")["values"] == {"draft": ""}
    with ada.web_socket() as first, bob.web_socket() as second:
        names = [[entry["session"] for entry in one.call("session.list")["result"]["sessions"]] for one in (first, second)]
        assert names == [["desk"], ["desk"]], names
        assert first.call("connection.actFor", {"subject": "another"})["error"]["code"] == -32005
    assert bob.get("/healthz").status == 200


def test_a_person_locks_nobody_out(team, provider):
    gateway = team(provider, limits={"connections": 16, "connectionsPerPerson": 4})
    ada, bob = Visitor(gateway), Visitor(gateway)
    ada.sign_in(provider)
    bob.sign_in(provider, "bob")
    again = Visitor(gateway)
    again.sign_in(provider)
    sockets = [one.web_socket() for one in (ada, again, ada, again)]
    assert ada.get("/session").status == 429
    idle = []
    for person, status in ((ada, b" 429 "), (bob, b" 200 ")):
        for _ in range(16):
            idle.append(connected(gateway.listen))
            idle[-1].sendall(f"GET /session HTTP/1.1\r\nHost: {HOST}\r\nCookie: {person.header['Cookie']}\r\n\r\n".encode())
            assert status in idle[-1].recv(4096)
    assert bob.person and "result" in sockets[0].call("session.list")
    sockets.pop().socket.close()
    wait_until(lambda: ada.get("/session").status == 200, "a connection of Ada's ends")
    for one in sockets + idle:
        getattr(one, "socket", one).close()


def test_a_person_may_do_what_the_role_says(team, provider):
    gateway = team(provider, roles=[{"groups": "staff", "scope": "observe"}])
    ada = Visitor(gateway)
    ada.sign_in(provider)
    assert ada.rpc("calculator.press", ["1"])["code"] == -32005
    assert ada.rpc("viewModel.read", {"id": "calculator"})["id"] == "calculator"


def test_a_daemon_that_does_not_know_the_gateway_serves_nobody(team, provider, own):
    gateway = team(provider, daemon=own({"access": [{"user": TeamGateway.USER, "scope": "act"}]}, shared=True))
    ada = Visitor(gateway)
    ada.sign_in(provider)
    assert ada.post("/rpc", {"jsonrpc": "2.0", "id": 1, "method": "session.list"}).status == 503
    assert "connection.actFor" in gateway.log


def test_a_person_learns_nothing_of_the_machine_while_the_daemon_is_away(team, provider, own):
    daemon = own({"access": [{"user": TeamGateway.USER, "scope": "delegate"}]}, shared=True)
    ada = Visitor(team(provider, daemon=daemon))
    ada.sign_in(provider)
    daemon.stop()
    with ada.web_socket() as socket:
        code, reason = socket.next_control()
        assert code == 8 and b"/" not in reason
    assert b"/" not in ada.get("/healthz").body + ada.post("/rpc", {}).body


def test_no_log_has_a_secret_or_a_name(provider, own, request):
    daemon = own({"access": [{"user": TeamGateway.USER, "scope": "delegate"}], "log": {"level": "trace"}}, shared=True)
    gateway = TeamGateway(daemon, provider.url, secrets.token_bytes(32), audience="scripts")
    gateway.config["log"] = {"level": "trace"}
    request.addfinalizer(gateway.discard)
    ada = Visitor(gateway.start())
    answer = provider_answer(ada.begin())
    assert ada.finish(answer).status == 303 and ada.finish(answer).status == 400
    cookie = ada.cookies[SESSION]
    assert ada.rpc("calculator.press", ["1"], session="desk")
    ada.get("/session", {"Authorization": "Bearer " + provider.keys[0].token(provider.claims("ada"))})
    ada.get("/session", {"Cookie": f"{SESSION}={cookie[:-3]}"})
    log_out(gateway, provider, nonce="1")
    ada.post("/sign-out", {})
    log = gateway.log + daemon.log
    for secret in (answer.split("code=")[1][:16], answer.split("state=")[1], cookie[:40], "eyJ", "acc-", "ref-"):
        assert secret not in log, secret
    for name in ("ada", "Ada", "staff"):
        assert name not in without_hashes(log), name


def test_a_changed_role_and_an_end_at_the_provider_reach_all_gateways_in_a_minute(gateway, provider, team):
    other = team(provider)
    people = {name: Visitor(gateway) for name in ("ada", "bob", "carol", "dan")}
    provider.people |= {"carol": {"groups": ["staff"]}, "dan": {"groups": ["staff"]}}
    for name, visitor in people.items():
        visitor.sign_in(provider, name)
    sockets = {name: (people[name].web_socket(), people[name].web_socket(other)) for name in people}
    for pair in sockets.values():
        for one in pair:
            assert "result" in one.call("session.list")
    provider.people["ada"]["groups"] = ["wardens"]
    provider.people["bob"]["groups"] = []
    provider.revoke("carol")
    changed = time.monotonic()
    for name in ("ada", "bob", "carol"):
        for one in sockets[name]:
            one.socket.settimeout(70)
            assert one.closing() == 1001, name
    assert time.monotonic() - changed < 65
    assert people["ada"].person["scope"] == "admin"
    for name in ("bob", "carol"):
        for where in (gateway, other):
            assert people[name].get("/session", gateway=where).status in (401, 403), name
    for one in sockets["dan"]:
        assert "result" in one.call("session.list")
    # The tokens end: the gateway gets new ones, and a provider that is away lets nobody in again.
    provider.set("/userinfo", Answer(500, {}))
    late = Visitor(team(provider))
    late.cookies = dict(people["dan"].cookies)
    wait_until(lambda: late.get("/session").status == 503, "the answer of the provider is a minute old", 60, 1)
    for one in sockets["dan"]:
        assert "result" in one.call("session.list")
        one.socket.close()


def test_access_tokens_that_end_are_renewed(team, provider):
    provider.lifetime = 1
    first, second = team(provider), team(provider)
    ada = Visitor(first)
    ada.sign_in(provider)
    late = Visitor(second)
    late.cookies = dict(ada.cookies)
    assert late.person
    assert len(provider.asked("/token")) == 1


@needs_glewlwyd
def test_a_real_provider_signs_people_in(front_daemon, request):
    glewlwyd = Glewlwyd()
    gateway = glewlwyd.gateway(front_daemon)
    request.addfinalizer(gateway.discard)
    gateway.start()
    for name, scope in (("ada", "act"), ("bob", "admin")):
        visitor = Visitor(gateway)
        reply = visitor.finish(glewlwyd.approve(name, visitor.begin()))
        assert reply.status == 303, (reply, gateway.log)
        assert visitor.person["scope"] == scope
        assert len(visitor.rpc("session.list")["sessions"]) == 0
    eve = Visitor(gateway)
    assert eve.finish(glewlwyd.approve("eve", eve.begin())).status == 403
