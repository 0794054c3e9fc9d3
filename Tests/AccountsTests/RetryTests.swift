import Foundation
import Testing

@testable import Accounts

@Suite struct `Waiting before another attempt` {
    @Test func `delays double up to their limit, with jitter`() {
        var backoff = Backoff(limit: .seconds(60))
        for nominal in [1, 2, 4, 8, 16, 32, 60, 60] {
            let delay = backoff.delay()
            #expect(delay >= .seconds(nominal) * 0.75 && delay <= min(.seconds(nominal) * 1.25, .seconds(60)))
        }
        backoff.reset()
        #expect(backoff.delay() < .seconds(2))
    }

    @Test func `a backend that asks for more time gets it, up to the limit`() {
        var backoff = Backoff(limit: .seconds(30))
        #expect(backoff.delay(atLeast: .seconds(20)) == .seconds(20))
        #expect(backoff.delay(atLeast: .seconds(100_000)) == .seconds(30))
    }

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 29 Feb 2028 23:59:59 GMT", 1_835_481_599),
    ])
    func `an HTTP date is read`(text: String, seconds: Double) {
        #expect(Date(httpDate: text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: ["", "soon", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"])
    func `what is no HTTP date is none`(text: String) {
        #expect(Date(httpDate: text) == nil)
    }
}
