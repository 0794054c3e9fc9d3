import Foundation
import NIOHTTP1
import TestSupport
import Testing
import ViewModelStorage

@testable import Accounts

@Suite struct `Numbers and dates of a backend` {
    @Test(arguments: [("1e21", 86_400.0), ("1e12", 86_400), ("-1e21", 0), ("-5", 0), ("1e308", 86_400), ("600", 600)])
    func `a device code is good for a day at most`(number: String, seconds: Double) throws {
        let text = """
            {"device_code": "d", "user_code": "u", "verification_uri": "https://x", "expires_in": \(number),
            "interval": \(number)}
            """
        let answer = HTTPResponse(status: .ok, headers: [:], body: Array(text.utf8))
        let grant = try #require(answer.decoded(DeviceAuthorization.self)).grant
        let end = grant.prompt.expiresAt.timeIntervalSinceNow
        #expect(end <= seconds)
        #expect(grant.remaining <= .seconds(seconds))
        #expect(grant.interval >= .seconds(1) && grant.interval <= .seconds(3_600))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300])
    func `a date that a provider of one's own makes ends no process`(seconds: Double) {
        let remaining = DeviceGrant.sample(until: Date(timeIntervalSinceReferenceDate: seconds)).remaining
        #expect(remaining >= .zero && remaining <= .seconds(86_400))
    }

    @Test(arguments: ["1e21", "-1e21", "1e308"])
    func `the end of a token is a date that can be kept`(number: String) async throws {
        let login = #"{"token": "t", "expires_in": \#(number), "auto_login": {"account": "ada"}}"#
        try await AccountFixture.with(try await Backend { _ in .json(login) }) { fixture in
            let start = Date.now
            try await fixture.signIn()
            let end = try #require(try await fixture.token()?.expiresAt)
            #expect(end >= start - 1 && end <= Date.now + 315_360_000)
        }
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 29 Feb 2028 23:59:59 GMT", 1_835_481_599), ("", nil), ("soon", nil),
        ("Sun, 06 Foo 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 08:49 GMT", nil),
    ])
    func `a date of HTTP is read, and a text of another form is none`(text: String, seconds: Double?) {
        #expect(Date(httpDate: text)?.timeIntervalSince1970 == seconds)
    }
}
