import Testing
import ViewModelProtocol

@testable import ViewModelGateway

/// The bearer token, one-time tokens and cookies.
@Suite struct AccessTokensTests {
    private let bearer = SecretText.make()

    private let cookieSecret = SecretText.make()

    private func make(_ scope: AccessScope = .observe) -> AccessTokens {
        AccessTokens(bearer: bearer, cookieSecret: cookieSecret, bearerScope: scope, cookieSeconds: 100)
    }

    @Test func `secrets have 256 bits and differ`() {
        let secrets = (0..<100).map { _ in SecretText.make() }
        #expect(Set(secrets).count == 100)
        #expect(secrets.allSatisfy(SecretText.isValid))
        #expect(!SecretText.isValid(String(repeating: "g", count: 64)))
    }

    @Test func `only the whole bearer token is valid`() {
        let tokens = make(.act)
        #expect(tokens.scope(ofAuthorization: "Bearer \(bearer)") == .act)
        #expect(tokens.scope(ofAuthorization: "bearer \(bearer)") == .act)
        let wrong = ["Bearer \(bearer.dropLast())", "Bearer \(bearer)0", "Basic \(bearer)", bearer, "Bearer ", ""]
        for header in wrong + ["Bearer " + String(repeating: "0", count: 64)] {
            #expect(tokens.scope(ofAuthorization: header) == nil)
        }
    }

    @Test func `a one-time token is valid once, for a minute`() {
        var tokens = make()
        let (first, second) = (tokens.issue(.act, now: 0), tokens.issue(.observe, now: 0))
        let redemptions: [(String, now: Int, AccessScope?)] = [
            (first, 59, .act), (first, 59, nil), (second, 60, nil), (SecretText.make(), 0, nil), ("", 0, nil),
            (bearer, 0, nil),
        ]
        for (token, now, expected) in redemptions {
            let scope = tokens.redeem(token, now: now)
            #expect(scope == expected)
        }
    }

    @Test func `the oldest of too many one-time tokens is dropped`() {
        var tokens = make()
        let issued = (0...AccessTokens.oneTimeCount).map { _ in tokens.issue(.act, now: 0) }
        let (oldest, next) = (tokens.redeem(issued[0], now: 1), tokens.redeem(issued[1], now: 1))
        #expect(oldest == nil && next == .act)
    }

    @Test func `a cookie is valid until its end, and after a restart`() {
        let cookie = make().cookie(.act, named: "viewmodel-8417", now: 1000)
        #expect(cookie.maximumAge == 100)
        #expect(make().scope(ofCookie: cookie.value, named: "viewmodel-8417", now: 1099) == .act)
        #expect(make().scope(ofCookie: cookie.value, named: "viewmodel-8417", now: 1100) == nil)
    }

    @Test(arguments: [(true, false), (false, true)])
    func `a cookie is not valid after a change of the token or of the cookies' secret`(token: Bool, secret: Bool) {
        let cookie = make().cookie(.act, named: "viewmodel-8417", now: 1000)
        let other = AccessTokens(
            bearer: token ? SecretText.make() : bearer,
            cookieSecret: secret ? SecretText.make() : cookieSecret,
            bearerScope: .act,
            cookieSeconds: 100
        )
        #expect(other.scope(ofCookie: cookie.value, named: "viewmodel-8417", now: 1000) == nil)
    }

    @Test func `a cookie of another port is not valid`() {
        let cookie = make().cookie(.act, named: "viewmodel-8417", now: 1000)
        for name in ["viewmodel-8418", "viewmodel", "__Host-viewmodel-8417"] {
            #expect(make().scope(ofCookie: cookie.value, named: name, now: 1000) == nil)
        }
    }

    @Test func `a changed cookie is not valid`() {
        let tokens = make()
        let value = tokens.cookie(.observe, named: "viewmodel-8417", now: 1000).value
        let raised = value.replacing("observe", with: "act")
        let prolonged = value.replacing(".1100.", with: ".9900.")
        for cookie in [raised, prolonged, String(value.dropLast()), value + "0", "", ".", "act.9999.0.", "a.b.c.d"] {
            #expect(tokens.scope(ofCookie: cookie, named: "viewmodel-8417", now: 1000) == nil)
        }
    }
}
