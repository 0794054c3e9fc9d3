import NIOCore
import NIOHTTP1

/// The requests for files of the page.
extension HTTPConnection {
    /// Replies with a file, or with 304 if the client has it.
    func reply(toFile path: String, _ head: HTTPRequestHead) throws(RequestRefusal) {
        guard let file = gateway.server.files.content(of: path) else {
            throw RequestRefusal(.notFound, "there is no file")
        }
        let isCompressed = file.gzip != nil && ContentCoding.prefersGzip(head.headers[canonicalForm: "Accept-Encoding"])
        let tag = isCompressed ? file.tag.dropLast() + "-gzip\"" : file.tag
        var headers: HTTPHeaders = [
            "ETag": tag, "Cache-Control": file.isImmutable ? "public, max-age=31536000, immutable" : "no-cache",
            "Vary": "Accept-Encoding",
        ]
        let known = head.headers[canonicalForm: "If-None-Match"]
        guard !known.contains(where: { $0 == "*" || $0 == tag || $0 == "W/" + tag }) else {
            return reply(.notModified, headers, nil)
        }
        headers.add(name: "Content-Type", value: file.type)
        if isCompressed { headers.add(name: "Content-Encoding", value: "gzip") }
        reply(.ok, headers, isCompressed ? file.gzip : file.bytes)
    }
}
