import Crypto
import NIOHTTP1

/// The opening handshake of a WebSocket connection (RFC 6455, section 4.2).
enum Handshake {
    /// The subprotocol: one JSON-RPC message a text message.
    static let subprotocol = "viewmodel.v1"

    /// Returns the value of `Sec-WebSocket-Accept` for a request.
    ///
    /// - Throws: ``Refusal`` with status 426 for another version of the protocol, else 400.
    static func accept(_ head: HTTPRequestHead) throws(Refusal) -> String {
        guard head.method == .GET, head.version == .http1_1,
            head.headers[canonicalForm: "Upgrade"].contains(where: { $0.lowercased() == "websocket" }),
            head.headers[canonicalForm: "Connection"].contains(where: { $0.lowercased() == "upgrade" })
        else { throw Refusal(.badRequest, "expected a WebSocket handshake") }
        guard head.headers["Sec-WebSocket-Version"] == ["13"] else {
            // RFC 6455, section 4.2.2, and RFC 9110, section 15.5.22.
            let headers: HTTPHeaders = [
                "Sec-WebSocket-Version": "13", "Upgrade": "websocket", "Connection": "Upgrade",
            ]
            throw Refusal(.upgradeRequired, "the version of WebSocket is 13", headers)
        }
        let keys = head.headers["Sec-WebSocket-Key"]
        guard keys.count == 1, isKey(keys[0]) else { throw Refusal(.badRequest, "Sec-WebSocket-Key is no key") }
        guard head.headers[canonicalForm: "Sec-WebSocket-Protocol"].contains(where: { $0 == subprotocol }) else {
            throw Refusal(.badRequest, "the subprotocol is \(subprotocol)")
        }
        let digest = Insecure.SHA1.hash(data: Array((keys[0] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
        return Base64.text(of: Array(digest))
    }

    /// Whether a text is 16 bytes in base64.
    private static func isKey(_ text: String) -> Bool {
        let digits = text.utf8.prefix(22)
        return text.utf8.count == 24 && text.hasSuffix("==") && digits.allSatisfy(Base64.digits.contains)
    }
}

/// Base64 (RFC 4648, section 4).
enum Base64 {
    static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var word: UInt32 = 0
            for index in 0..<3 { word = word << 8 | UInt32(group.count > index ? group[start + index] : 0) }
            for index in 0..<4 {
                text.append(index <= group.count ? digits[Int(word >> (18 - 6 * UInt32(index)) & 63)] : 0x3D)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
