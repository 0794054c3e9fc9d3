import NIOCore
import NIOHTTP1
import Testing
import ViewModelProtocol

@testable import ViewModelConfiguration
@testable import ViewModelGateway

/// Handshakes, queries and addresses.
@Suite struct RequestTests {
    private let handshake: HTTPHeaders = [
        "Upgrade": "websocket", "Connection": "keep-alive, Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol": "other, viewmodel.v1",
    ]

    private func head(_ headers: HTTPHeaders, version: HTTPVersion = .http1_1) -> HTTPRequestHead {
        HTTPRequestHead(version: version, method: .GET, uri: "/ws", headers: headers)
    }

    @Test func `the key of RFC 6455 has the answer of RFC 6455`() throws {
        #expect(try Handshake.accept(head(handshake)) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test(
        arguments: [
            ("Upgrade", "h2c", 400), ("Upgrade", nil, 400), ("Connection", "close", 400),
            ("Sec-WebSocket-Version", "8", 426),
            ("Sec-WebSocket-Version", nil, 426), ("Sec-WebSocket-Key", nil, 400),
            ("Sec-WebSocket-Key", "c2hvcnQ=", 400),
            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25j*Q==", 400), ("Sec-WebSocket-Protocol", "viewmodel.v2", 400),
            ("Sec-WebSocket-Protocol", nil, 400),
        ] as [(String, String?, UInt)]
    )
    func `a faulty handshake is refused`(name: String, value: String?, status: UInt) {
        var headers = handshake
        headers.remove(name: name)
        if let value { headers.add(name: name, value: value) }
        let refusal = #expect(throws: RequestRefusal.self) { try Handshake.accept(head(headers)) }
        #expect(refusal?.status.code == status)
    }

    @Test func `HTTP 1.0 has no WebSocket`() {
        #expect(throws: RequestRefusal.self) { try Handshake.accept(head(handshake, version: .http1_0)) }
    }

    @Test func `a query is decoded`() {
        let target = RequestTarget("/events?id=a%2Eb&outputs=x,y+z&empty&window=w%3D0,20")
        #expect(target.path == "/events")
        #expect(target.query.map(\.name) == ["id", "outputs", "empty", "window"])
        #expect(target.query.map(\.value) == ["a.b", "x,y z", "", "w=0,20"])
        for query in ["%", "a=%2", "a=%zz", "a=%ff", "a=%+1"] {
            #expect(RequestTarget("/events?" + query).hasMalformedQuery)
        }
    }

    @Test func `each id of a query begins a binding`() throws {
        let target = RequestTarget(
            "/events?outputs=mails,unread&id=inbox&window=mails=0,20&minInterval=100&id=daemon&id=lab&patches=false"
        )
        let bindings = try ViewModelBind.Params.bindings(of: target, lastEventID: "ab:cd:41,,7")
        #expect(
            bindings == [
                ViewModelBind.Params(
                    id: "inbox",
                    outputs: ["mails", "unread"],
                    since: Since(epoch: "ab:cd", seq: 41),
                    windows: ["mails": Window(offset: 0, limit: 20)],
                    minInterval: 100
                ),
                ViewModelBind.Params(id: "daemon"),
                ViewModelBind.Params(id: "lab", since: Since(epoch: "ab:cd", seq: 7), patches: false),
            ]
        )
        for foreign in ["nonsense", "ab:cd:41", "ab:cd:41,1,2,3", "ab:cd:-1,x,+"] {
            let others = try ViewModelBind.Params.bindings(of: target, lastEventID: foreign)
            #expect(others.allSatisfy { $0.since == nil })
        }
    }

    @Test(arguments: [
        "", "outputs=x", "id=x&window=mails", "id=x&window=mails=0", "id=x&window=mails=-1,2", "id=x&minInterval=z",
        "id=x&patches=1", "id=x&id=y&id=x",
    ])
    func `a wrong query is refused`(query: String) {
        #expect(throws: RequestRefusal.self) {
            try ViewModelBind.Params.bindings(of: RequestTarget("/events?" + query), lastEventID: nil)
        }
    }

    @Test(arguments: ["session=.x", "linger=x&session=desk", "unknown=1", "session=%"])
    func `a wrong session is refused`(query: String) {
        var setup = SetupRequests(scope: .act)
        #expect(throws: RequestRefusal.self) { try setup.attach(RequestTarget("/rpc?" + query), allowed: []) }
    }

    @Test(arguments: [
        ("127.0.0.1:8417", true), ("[::1]:80", true), ("localhost:0", true), ("127.1.2.3:9", true),
        ("0.0.0.0:8417", false),
        ("[::]:8417", false), ("192.168.1.1:1", false), ("/run/x.sock", true),
    ])
    func `an address is local or not`(text: String, isLocal: Bool) throws {
        let address = try #require(ListenAddress(rawValue: text))
        #expect(address.isLocal == isLocal)
        #expect(address.description == text)
    }

    @Test(arguments: [
        "", "8417", ":8417", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", "host.example:80", "::1:80",
        "[127.0.0.1]:80",
    ])
    func `another text is no address`(text: String) {
        #expect(ListenAddress(rawValue: text) == nil)
    }

    @Test func `an address that other machines reach needs TLS and a host`() {
        var configuration = DaemonConfiguration.Gateway()
        #expect(throws: Never.self) { try GatewayAddresses.check(configuration) }
        configuration.listen = ListenAddress(host: "0.0.0.0", port: 8443)
        let error = #expect(throws: ConfigurationError.self) { try GatewayAddresses.check(configuration) }
        #expect(error?.problems.count == 2)
        configuration.tls.certificateFile = "/cert"
        configuration.hosts = "page.example:8443"
        #expect(throws: ConfigurationError.self) { try GatewayAddresses.check(configuration) }
        configuration.tls.keyFile = "/key"
        #expect(throws: Never.self) { try GatewayAddresses.check(configuration) }
        let addresses = GatewayAddresses(address: "0.0.0.0", port: 8443, configuration)
        #expect(addresses.page == "https://page.example:8443/")
        #expect(addresses.cookieName == "viewmodel-8443")
        configuration.path = "/vm"
        #expect(GatewayAddresses(address: "0.0.0.0", port: 8443, configuration).page == "https://page.example:8443/vm/")
    }

    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:1/", ["127.0.0.1:1", "localhost:1", "[::1]:1"]),
        ("::1", "http://[::1]:1/", ["127.0.0.1:1", "localhost:1", "[::1]:1"]),
        ("127.0.0.2", "http://127.0.0.2:1/", ["127.0.0.2:1"]),
    ])
    func `the page has the address on which the gateway listens`(address: String, page: String, hosts: [String]) {
        let addresses = GatewayAddresses(address: address, port: 1, DaemonConfiguration.Gateway())
        #expect(addresses.page == page)
        #expect(addresses.hosts == hosts)
    }

    @Test func `every file of the page is served, and exists once`() {
        #expect(PageFolder.embedded["/"] != nil)
        #expect(PageFolder.embedded.values.allSatisfy { $0.bytes.readableBytes > 0 })
        #expect(PageFolder().content(of: "/../etc/passwd") == nil)
        #expect(PageFolder(directory: "/etc").content(of: "/../etc/passwd") == nil)
    }
}
