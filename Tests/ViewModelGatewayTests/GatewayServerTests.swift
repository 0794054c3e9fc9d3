import TestSupport
import Testing

@testable import ViewModelGateway

/// The life of a gateway that listens.
@Suite(.timeLimit(.minutes(5))) struct GatewayServerTests {
    @Test func `a client that connects while the idle time ends is served, and the gateway ends after it`() async throws
    {
        try await RunningGateway.run { gateway in
            let request = "GET /session HTTP/1.1\r\nHost: page.example\r\n\r\n"
            let waiting = try RawConnection(gateway.path)
            // The gateway has accepted the first one when it answers the second one.
            let second = try RawConnection(gateway.path)
            second.send(request)
            #expect(try second.line() == "HTTP/1.1 401 Unauthorized\r")
            gateway.server.idle.continuation.yield()
            let late = try RawConnection(gateway.path)
            late.send(request)
            #expect(try late.line() == "HTTP/1.1 401 Unauthorized\r")
            waiting.send(request)
            #expect(try waiting.line() == "HTTP/1.1 401 Unauthorized\r")
        }
    }
}
