import NIOHTTP1
import Testing

@testable import ViewModelGateway

/// Host, origin and content type.
@Suite struct RequestPolicyTests {
    private let loopback = RequestPolicy(
        role: .network(isSecure: false),
        hosts: ["127.0.0.1:8417", "localhost:8417", "[::1]:8417"],
        origins: ["http://localhost:5173"]
    )

    /// Returns the status of the refusal, or nil if the request is allowed.
    private func status(
        _ method: HTTPMethod,
        _ headers: HTTPHeaders,
        at uri: String = "/rpc",
        bearer: Bool = false,
        by policy: RequestPolicy? = nil
    ) -> UInt? {
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: uri, headers: headers)
        do throws(RequestRefusal) {
            let policy = policy ?? loopback
            try policy.check(head, for: try Route(method, RequestTarget(uri), on: policy), hasBearer: bearer)
            return nil
        } catch {
            return error.status.code
        }
    }

    @Test(arguments: ["127.0.0.1:8417", "localhost:8417", "LOCALHOST:8417", "[::1]:8417"])
    func `a host of the gateway is allowed`(host: String) {
        #expect(status(.GET, ["Host": host], at: "/") == nil)
    }

    @Test(
        arguments: [
            [], [("Host", "evil.example:8417")], [("Host", "127.0.0.1")], [("Host", "127.0.0.1:80")], [("Host", "")],
            [("Host", "localhost:8417.evil.example")], [("Host", "localhost:8417@evil.example")],
            [("Host", "127.0.0.1:8417"), ("Host", "evil.example")],
            [("Host", "127.0.0.1:8417"), ("Host", "127.0.0.1:8417")],
        ] as [[(String, String)]]
    )
    func `any other host is refused`(headers: [(String, String)]) {
        #expect(status(.GET, HTTPHeaders(headers), at: "/") == 421)
        #expect(status(.POST, HTTPHeaders(headers + [("Content-Type", "application/json")]), bearer: true) == 421)
    }

    @Test(arguments: ["http://127.0.0.1:8417", "http://localhost:5173"])
    func `the own origin and a configured one are allowed`(origin: String) {
        #expect(status(.GET, ["Host": "127.0.0.1:8417", "Origin": origin], at: "/ws") == nil)
    }

    @Test(arguments: [
        "null", "https://127.0.0.1:8417", "http://127.0.0.1", "http://localhost:8417", "http://evil.example",
        "http://127.0.0.1:8417.evil.example", "", "http://127.0.0.1:8417, http://evil.example",
    ])
    func `any other origin is refused everywhere, with a token too`(origin: String) {
        let headers: HTTPHeaders = ["Host": "127.0.0.1:8417", "Origin": origin, "Content-Type": "application/json"]
        for uri in ["/", "/ws", "/events?id=x", "/session"] {
            #expect(status(.GET, headers, at: uri, bearer: true) == 403)
        }
        #expect(status(.POST, headers, bearer: true) == 403)
    }

    @Test func `a missing origin is refused on ws, and on a POST without a bearer token`() {
        let headers: HTTPHeaders = ["Host": "127.0.0.1:8417", "Content-Type": "application/json"]
        #expect(status(.GET, headers, at: "/ws") == 403)
        #expect(status(.GET, headers, at: "/ws?x", bearer: true) == 403)
        #expect(status(.POST, headers) == 403)
        #expect(status(.POST, headers, bearer: true) == nil)
        #expect(status(.GET, headers, at: "/events") == nil)
    }

    @Test(arguments: ["cross-site", "same-site"])
    func `a browser's request from another site is refused, but not a link to the page`(site: String) {
        var headers: HTTPHeaders = ["Host": "127.0.0.1:8417", "Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"]
        #expect(status(.GET, headers, at: "/events") == 403)
        headers.replaceOrAdd(name: "Sec-Fetch-Mode", value: "navigate")
        #expect(status(.GET, headers, at: "/") == nil)
        #expect(status(.GET, headers, at: "/app/index.html") == nil)
        for uri in ["/events?session=planted&linger=86400&id=x", "/session", "/ws"] {
            #expect(status(.GET, headers, at: uri, bearer: true) == 403)
        }
    }

    @Test(
        arguments: [
            ("application/json", nil), ("application/json; charset=utf-8", nil), ("Application/JSON ;x", nil),
            ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("multipart/form-data; boundary=x", 415),
            ("application/json, text/plain", 415), ("", 415), ("text/plain; application/json", 415),
        ] as [(String, UInt?)]
    )
    func `a POST has JSON`(type: String, expected: UInt?) {
        #expect(status(.POST, ["Host": "127.0.0.1:8417", "Content-Type": type], bearer: true) == expected)
    }

    @Test func `a POST without a content type is refused`() {
        #expect(status(.POST, ["Host": "127.0.0.1:8417"], bearer: true) == 415)
    }

    @Test(arguments: [false, true])
    func `behind a proxy the origin may have either scheme, unless browsers need TLS`(isSecure: Bool) {
        let proxy = RequestPolicy(role: .proxy(isSecure: isSecure), hosts: ["page.example"], origins: [])
        for (origin, expected) in [
            ("https://page.example", nil), ("http://page.example", isSecure ? 403 : nil), ("https://evil.example", 403),
        ]
            as [(String, UInt?)]
        {
            #expect(status(.GET, ["Host": "page.example", "Origin": origin], at: "/ws", by: proxy) == expected)
        }
        #expect(status(.GET, ["Host": "127.0.0.1:8417"], at: "/", by: proxy) == 421)
    }

    @Test func `a target that is not a path is refused`() {
        #expect(status(.GET, ["Host": "127.0.0.1:8417"], at: "http://127.0.0.1:8417/") == 404)
    }

    @Test func `routes depend on method, path and socket`() throws {
        func route(
            _ method: HTTPMethod,
            _ uri: String,
            _ role: SocketRole = .proxy(isSecure: false),
            base: String = "/"
        ) throws -> Route {
            try Route(method, RequestTarget(uri), on: RequestPolicy(role: role, base: base))
        }
        #expect(try route(.GET, "/ws") == .webSocket)
        #expect(try route(.HEAD, "/app/") == .file("/app/"))
        #expect(try route(.GET, "/app?session=desk") == .redirect("app/?session=desk"))
        #expect(try route(.HEAD, "/healthz") == .health)
        #expect(try route(.POST, "/tokens", .control) == .oneTimeToken)
        #expect(throws: RequestRefusal.self) { try route(.POST, "/tokens", .network(isSecure: true)) }
        #expect(throws: RequestRefusal.self) { try route(.POST, "/rpc", .control) }
        #expect(try route(.OPTIONS, "/rpc") == .methods("OPTIONS, POST"))
        let refusal = #expect(throws: RequestRefusal.self) { try route(.POST, "/ws") }
        #expect(refusal?.status == .methodNotAllowed)
        #expect(refusal?.headers == ["Allow": "GET, OPTIONS"])
        #expect(try route(.GET, "/vm/ws", base: "/vm/") == .webSocket)
        #expect(try route(.GET, "/vm", base: "/vm/") == .redirect("/vm/"))
        #expect(try route(.GET, "/vm/", base: "/vm/") == .file("/"))
        for path in ["/", "/ws", "/vmx/", "/vm%2F", "//vm/"] {
            #expect(throws: RequestRefusal.self) { try route(.GET, path, base: "/vm/") }
        }
    }

    @Test(
        arguments: [
            ([], true), ([("Content-Length", "5")], true), ([("Transfer-Encoding", "Chunked")], true),
            ([("Transfer-Encoding", "chunked"), ("Content-Length", "5")], false),
            ([("Content-Length", "5"), ("Content-Length", "5")], false),
            ([("Transfer-Encoding", "gzip, chunked")], false),
            ([("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")], false),
            ([("Transfer-Encoding", "identity")], false),
        ] as [([(String, String)], Bool)]
    )
    func `a request whose end proxies could see elsewhere is refused`(headers: [(String, String)], isAllowed: Bool) {
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/rpc", headers: HTTPHeaders(headers))
        let isRefused = (try? RequestPolicy.checkFraming(of: head)) == nil
        #expect(isRefused != isAllowed)
    }

    @Test(
        arguments: [
            ([], false), (["gzip"], true), (["gzip, deflate, br"], true), (["GZIP;q=0.5"], true), (["*"], true),
            (["gzip;q=0"], false), (["gzip; q=0.000, *"], false), (["*;q=0"], false), (["br"], false),
            (["identity"], false),
            (["gzip;q=0.2, identity;q=0.9"], false), (["identity;q=0, gzip;q=0.1"], true), (["br", "gzip"], true),
            (["gzip;q=x"], false), ([";q=1"], false), (["x-gzip"], true),
        ] as [([String], Bool)]
    )
    func `gzip is sent to those who accept it`(accepted: [String], isSent: Bool) {
        let headers = HTTPHeaders(accepted.map { ("Accept-Encoding", $0) })
        #expect(ContentCoding.prefersGzip(headers[canonicalForm: "Accept-Encoding"]) == isSent)
    }
}
