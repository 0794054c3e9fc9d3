import Foundation
import Testing

@testable import Accounts

@Suite struct `A date of HTTP` {
    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
        ("Tue, 29 Feb 2028 23:59:59 GMT", 1_835_481_599),
    ])
    func `is read`(text: String, seconds: Double) {
        #expect(Date(httpDate: text)?.timeIntervalSince1970 == seconds)
    }

    @Test(arguments: ["", "soon", "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT"])
    func `of another form is nil`(text: String) {
        #expect(Date(httpDate: text) == nil)
    }
}
