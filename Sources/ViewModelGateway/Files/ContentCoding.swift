import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// The coding of a reply's body (RFC 9110, section 12.5.3).
enum ContentCoding {
    /// Returns whether a client accepts gzip, and prefers nothing to it.
    static func prefersGzip(_ accepted: some Sequence<Substring>) -> Bool {
        var weights: [String: Double] = [:]
        for element in accepted {
            let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }?.dropFirst(2)
            weights[name] = weight.map { Double($0) ?? 0 } ?? 1
        }
        guard let gzip = weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] else { return false }
        return gzip > 0 && gzip >= weights["identity"] ?? 0
    }

    /// Returns bytes in gzip.
    static func gzip(_ bytes: ByteBuffer) -> ByteBuffer {
        // The compressor is a handler only.
        let channel = EmbeddedChannel(handler: HTTPResponseCompressor())
        let request = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: ["Accept-Encoding": "gzip"])
        var gzip = ByteBuffer()
        do {
            try channel.writeInbound(HTTPServerRequestPart.head(request))
            try channel.writeOutbound(HTTPServerResponsePart.head(HTTPResponseHead(version: .http1_1, status: .ok)))
            try channel.writeOutbound(HTTPServerResponsePart.body(.byteBuffer(bytes)))
            try channel.writeOutbound(HTTPServerResponsePart.end(nil))
            while let part = try channel.readOutbound(as: HTTPServerResponsePart.self) {
                if case .body(.byteBuffer(let bytes)) = part { gzip.writeImmutableBuffer(bytes) }
            }
            _ = try channel.finish()
        } catch {
            preconditionFailure("an embedded channel has no I/O: \(error)")
        }
        return gzip
    }
}
