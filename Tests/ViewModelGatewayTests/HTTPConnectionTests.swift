import NIOCore
import TestSupport
import Testing
import ViewModelConfiguration

@testable import ViewModelGateway

/// Requests on one connection: their order, their ends, and bytes that want to be more requests than they are.
@Suite(.timeLimit(.minutes(5))) struct HTTPConnectionTests {
    private static let host = "Host: page.example\r\n"
    private static let post =
        "POST /session HTTP/1.1\r\n\(host)Origin: https://page.example\r\n"
        + "Content-Type: application/json\r\n"

    private static let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"

    private static func get(_ path: String, _ headers: String = "", version: String = "1.1") -> String {
        "GET \(path) HTTP/\(version)\r\n\(host)\(headers)\r\n"
    }

    /// The statuses of the replies in a text.
    private func statuses(_ text: String) -> [String] {
        text.matches(of: /HTTP\/1\.1 (\d\d\d)/).map { String($0.1) }
    }

    @Test func `the replies to pipelined requests come in their order, and the last one may close`() async throws {
        try await RunningGateway.run { gateway in
            let requests = ["/none", "/app", "/icon.svg", "/favicon.ico"].map { Self.get($0) }.joined()
            let body = Self.post + "Content-Length: 2\r\n\r\n{}"
            let last = Self.get("/none", "Connection: foo, Close\r\n")
            let replies = try gateway.exchange(requests + body + last + Self.get("/icon.svg"))
            #expect(statuses(replies) == ["404", "308", "200", "308", "400", "404"])
            #expect(replies.matches(of: /Connection: close/).count == 1)
            #expect(
                statuses(try gateway.exchange(Self.get("/none", "Connection: keep-alive\r\n", version: "1.0"))) == [
                    "404"
                ]
            )
        }
    }

    @Test func `a burst of requests waits for a client that does not read`() async throws {
        try await RunningGateway.run { gateway in
            // The replies are more than the buffers of the kernel hold, and the requests fewer.
            let burst = String(repeating: Self.get("/none"), count: 1500) + Self.get("/none", "Connection: close\r\n")
            let replies = try gateway.exchange(burst)
            #expect(statuses(replies).count == 1501)
        }
    }

    @Test(
        arguments: [
            post + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
            post + "Content-Length: 0\r\nContent-Length: 0\r\n\r\n", post + "Content-Length: 5, 5\r\n\r\nhello",
            post + "Content-Length: +5\r\n\r\nhello", post + "Content-Length: 0x5\r\n\r\nhello",
            post + "Content-Length: -1\r\n\r\n", post + "Content-Length: 5 5\r\n\r\nhello",
            post + "Content-Length: \r\n\r\n", post + "Content-Length : 5\r\n\r\nhello",
            post + "Content-Length: 99999999999999999999\r\n\r\n", post + "Content-Length: 5000\r\n\r\n",
            post + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", post + "Transfer-Encoding: identity\r\n\r\n",
            post + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
            post + "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
            post.replacing("1.1", with: "1.0") + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            chunked + "2\n{}\n0\n\n",
            chunked + "0x2\r\n{}\r\n0\r\n\r\n",
            chunked + "-2\r\n{}\r\n0\r\n\r\n",
            chunked + "10000000000000002\r\n{}\r\n0\r\n\r\n",
            chunked + "2;a\n{}\r\n0\r\n\r\n",
            chunked + "2\r\n{}X\r\n0\r\n\r\n",
            get("/none", "X: a\r\n b\r\n"), get("/none", "X: a\nY: b\r\n"), get("/none", "X: a\rY: b\r\n"),
            get("/none", "X: a\0b\r\n"),
            get("/none", "X Y: a\r\n"), get("/none", "\n"), get("/none").replacing("\r\n", with: "\n"),
            "GET /none HTTP/1.1\r\n Host: page.example\r\n\r\n", get("/none", version: "1.2"),
            get("/none", version: "2.0"),
            "GET /none\r\n\r\n", get("/none").lowercased(), get("http://page.example/none"),
            "CONNECT a:1 HTTP/1.1\r\n\(host)\r\n",
            get("/none", host), get("/none", "X: \(String(repeating: "x", count: 20_000))\r\n"),
            get("/none", "Connection: Upgrade\r\nUpgrade: h2c\r\n"),
        ]
    )
    func `nothing behind a malformed or refused request is carried out`(bytes: String) async throws {
        try await RunningGateway.run { gateway in
            let replies = statuses(try gateway.exchange(bytes + Self.get("/icon.svg")))
            #expect(replies.count == 1 && replies[0].hasPrefix("4"))
            // The fault of a later request does not take the replies to earlier ones.
            let pipelined = statuses(try gateway.exchange(Self.get("/app") + bytes + Self.get("/icon.svg")))
            #expect(pipelined.count == 2 && pipelined[0] == "308" && pipelined[1].hasPrefix("4"))
        }
    }

    @Test func `a file is sent once, in the coding that the client accepts`() async throws {
        try await RunningGateway.run { gateway in
            let close = "Connection: close\r\n"
            let plain = try gateway.exchange(Self.get("/app.css", close))
            let tag = try #require(plain.firstMatch(of: /ETag: ("[0-9a-f]+")/)?.1)
            #expect(plain.contains("Cache-Control: no-cache\r\n") && plain.contains("Vary: Accept-Encoding\r\n"))
            for known in [String(tag), "W/\(tag)", "\"x\", \(tag)", "*"] {
                let reply = try gateway.exchange(Self.get("/app.css", "If-None-Match: \(known)\r\n\(close)"))
                #expect(
                    reply.hasPrefix("HTTP/1.1 304 ") && reply.hasSuffix("\r\n\r\n")
                        && reply.contains("ETag: \(tag)\r\n")
                )
            }
            let gzip = "Accept-Encoding: gzip\r\nIf-None-Match: \(tag)\r\n" + close
            let compressed = try gateway.exchange(Self.get("/app.css", gzip))
            #expect(compressed.hasPrefix("HTTP/1.1 200 ") && compressed.contains("Content-Encoding: gzip\r\n"))
            #expect(compressed.contains("ETag: \(tag.dropLast())-gzip\"\r\n"))
            let page = try gateway.exchange(Self.get("/app/", close))
            let name = try #require(page.firstMatch(of: /src="\.\.(\/app-[0-9a-f]+\.js)"/)?.1)
            #expect(try gateway.exchange(Self.get(String(name), close)).contains("max-age=31536000, immutable\r\n"))
        }
    }

    @Test func `a balancer learns that no daemon answers, whatever host it names`() async throws {
        try await RunningGateway.run(configure: { $0.path = "/vm" }) { gateway in
            let reply = try gateway.exchange("GET /vm/healthz HTTP/1.0\r\n\r\n")
            #expect(
                reply.hasPrefix("HTTP/1.1 503 ")
                    && reply.hasSuffix("The daemon does not answer: No such file or directory\n")
            )
            let head = try gateway.exchange("HEAD /vm/healthz HTTP/1.0\r\n\r\n")
            #expect(head.hasPrefix("HTTP/1.1 503 ") && head.hasSuffix("\r\n\r\n"))
            #expect(statuses(try gateway.exchange("GET /healthz HTTP/1.0\r\n\r\n")) == ["404"])
        }
    }

    @Test func `a bundle has each module once, before those that import it`() throws {
        let texts = [
            "a.js": "import { b, c as d } from \"./b.js\";\nimport { c } from \"./c.js\";\nd(b, c);",
            "b.js": "export { c } from \"./c.js\";\nexport const b = 1;\nexport async function e() {}",
            "c.js": "export class c {}",
        ]
        let bundle = """
            const $c_js = (() => {\nclass c {}\nreturn { c };\n})();
            const $b_js = (() => {\nconst { c } = $c_js;\nconst b = 1;\nasync function e() {}\nreturn {  c , b, e };\n})();
            const { b, c: d } = $b_js;\nconst { c } = $c_js;\nd(b, c);

            """
        #expect(PageBundle.script("a.js", texts) == bundle)
        let scripts = PageFolder.embedded.filter { $0.value.isImmutable && $0.key.hasSuffix(".js") }
        #expect(scripts.count == 2)
        for script in scripts.values {
            let text = String(buffer: script.bytes)
            #expect(text.split(separator: "\n").allSatisfy { !$0.hasPrefix("import ") && !$0.hasPrefix("export ") })
        }
    }
}
