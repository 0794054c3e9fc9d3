import AsyncHTTPClient
import Synchronization
import TestSupport
import Testing
import ViewModelStorage

@testable import Accounts

/// Addresses that the HTTP client would end the process for, and others that no request can go to.
@Suite struct `Addresses from outside` {
    static let unusable = [
        "", "backend", "ftp://backend", "file:///x", "javascript:1", "//127.0.0.1/x", "http://", "http:///x",
        "http://:80/x", "http://127.0.0.1:65536", "http://127.0.0.1:99999/x", "https://[::1]:65536",
        "http://[::1]:99999/x", "https://localhost:65536/x", "http://127.0.0.1:0", "http://127.0.0.1:-1",
        "http://127.0.0.1:+1", "http://127.0.0.1:99999999999999999999/x", "http://127.0.0.1:00000000001/x",
        "http://127.0.0.1:\u{661}/x", "http://localhost:/x", "http://h:80:80", "http://127.0.0.1: 1/x", "http://[]",
        "http://[]:80/x", "http://[::1", "http://[:", "http://[::1%25eth0]:80", "http://[::1]x", "http://%00/x",
        "http://a%00b/x", "http://127.0.0.1\0/x", "http://a b", "http://a/b c", "http://a\\b", "http://a\n/",
        "http://user:secret@backend", "http://..../x", "http://é/x",
        "http://\(String(repeating: "a", count: 70)).invalid",
    ]

    @Test(arguments: unusable)
    func `an address that no request can go to is refused where it is read, and by the transport`(
        text: String
    ) async throws {
        #expect(throws: WebAddress.Problem.self) { try WebAddress(text) }
        let transport = HTTPTransport(timeout: .seconds(60))
        await #expect(throws: AccountError.self) { try await transport.send(HTTPClientRequest(url: text)) }
        await transport.shutDown()
        #expect(throws: WebAddress.Problem.self) { try HTTPProvider(url: text, timeout: .seconds(60)) }
        #expect(throws: WebAddress.Problem.self) {
            try OAuthProvider(configuration: OAuthConfiguration(issuer: text, clientID: "x"), timeout: .seconds(60))
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:65535", "127.0.0.1", false), ("https://Id.Example/tenant/", "id.example", true),
        ("HTTPS://[::1]:1/x", "::1", true), ("http://localhost:08080", "localhost", false),
        ("http://a_b.example.:80/x?y#z", "a_b.example.", false),
    ])
    func `a usable address shows its host`(text: String, host: String, isSecure: Bool) throws {
        let address = try WebAddress(text)
        #expect(address.host == host && address.isSecure == isSecure)
        #expect(address.hasQueryOrFragment == text.contains("?"))
        guard text.contains("?") else { return }
        #expect(throws: WebAddress.Problem.self) { try HTTPProvider(url: text, timeout: .seconds(60)) }
    }

    static let endpoints = [
        "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "device_authorization_endpoint",
    ]

    @Test(arguments: endpoints, ["http://127.0.0.1:99999/x", "https://[]/x", "x"])
    func `metadata with an endpoint that cannot be used are an account error that names it`(
        endpoint: String,
        address: String
    ) async throws {
        let server = try await OAuthServer.start()
        server.state.withLock { $0.endpoints[endpoint] = address }
        let transport = HTTPTransport(timeout: .seconds(60))
        let error = await #expect(throws: AccountError.self) {
            try await OAuthMetadata.ask(server.url, over: transport)
        }
        await transport.shutDown()
        #expect(error?.kind == .unreachable)
        #expect(error?.description.contains(endpoint) == true && error?.description.contains(address) == false)
        #expect(server.count("/token") == 0)
        await server.stop()
    }
}
