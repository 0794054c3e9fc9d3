import Crypto
import FoundationEssentials
import NIOHTTP1

/// The opening handshake of a WebSocket connection (RFC 6455, section 4.2).
enum Handshake {
    /// The subprotocol: one JSON-RPC message a text message.
    static let subprotocol = "viewmodel.v1"

    /// Returns the value of `Sec-WebSocket-Accept` for a request.
    ///
    /// - Throws: ``RequestRefusal`` with status 426 for another version of the protocol, else 400.
    static func accept(_ head: HTTPRequestHead) throws(RequestRefusal) -> String {
        guard head.method == .GET, head.version == .http1_1,
            head.headers[canonicalForm: "Upgrade"].contains(where: { $0.lowercased() == "websocket" }),
            head.headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" })
        else { throw RequestRefusal(.badRequest, "expected a WebSocket handshake") }
        guard head.headers["Sec-WebSocket-Version"] == ["13"] else {
            // RFC 6455, section 4.2.2, and RFC 9110, section 15.5.22.
            let headers: HTTPHeaders = [
                "Sec-WebSocket-Version": "13", "Upgrade": "websocket", "Connection": "Upgrade",
            ]
            throw RequestRefusal(.upgradeRequired, "the version of WebSocket is 13", headers)
        }
        let keys = head.headers["Sec-WebSocket-Key"]
        guard keys.count == 1, Data(base64Encoded: keys[0])?.count == 16 else {
            throw RequestRefusal(.badRequest, "Sec-WebSocket-Key is no key")
        }
        guard head.headers[canonicalForm: "Sec-WebSocket-Protocol"].contains(where: { $0 == subprotocol }) else {
            throw RequestRefusal(.badRequest, "the subprotocol is \(subprotocol)")
        }
        let digest = Insecure.SHA1.hash(data: Array((keys[0] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Data(digest).base64EncodedString()
    }
}
