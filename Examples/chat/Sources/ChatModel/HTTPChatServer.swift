import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A chat server that speaks HTTP.
public struct HTTPChatServer: ChatServer {
    /// Reports at once that a server cannot be reached, which `HTTPClient.shared` does after its timeout.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(configuration: configuration)
    }()

    private let address: String

    /// Creates a server with an address such as `http://localhost:8080`.
    public init(_ address: String) {
        self.address = address
    }

    /// Returns all rooms.
    public func rooms(token: String) async throws(ChatFailure) -> [Room] {
        try await request(.GET, "/rooms", token)
    }

    /// Returns up to `count` messages of a room, from the message with this number on.
    public func messages(
        in room: String,
        from first: Int,
        count: Int,
        token: String
    ) async throws(ChatFailure) -> [Message] {
        try await request(.GET, "/rooms/\(room)/messages?from=\(first)&count=\(count)", token)
    }

    /// Tells the others that the account types in a room.
    public func tellTyping(in room: String, token: String) async throws(ChatFailure) {
        _ = try await bytes(.POST, "/rooms/\(room)/typing", token)
    }

    /// Waits for changes after a number.
    public func changes(after number: Int?, token: String) async throws(ChatFailure) -> Changes {
        try await request(.GET, "/changes\(number.map { "?after=\($0)" } ?? "")", token)
    }

    private func request<Reply: Decodable>(
        _ method: HTTPMethod,
        _ path: String,
        _ token: String
    ) async throws(ChatFailure) -> Reply {
        let bytes = try await bytes(method, path, token)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            return try decoder.decode(Reply.self, from: Data(bytes.readableBytesView))
        } catch {
            throw .confused(status: 200)
        }
    }

    private func bytes(_ method: HTTPMethod, _ path: String, _ token: String) async throws(ChatFailure) -> ByteBuffer {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        request.headers = ["Authorization": "Bearer \(token)"]
        let response: HTTPClientResponse
        let body: ByteBuffer
        do {
            response = try await Self.client.execute(request, timeout: .seconds(60))
            body = try await response.body.collect(upTo: 64 << 20)
        } catch {
            throw .unreachable
        }
        switch response.status.code {
        case 200...299: return body
        case 401: throw .signedOut
        case 404: throw .noRoom
        case 503: throw .busy
        default: throw .confused(status: Int(response.status.code))
        }
    }
}
