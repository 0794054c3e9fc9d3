import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A podcast server that speaks HTTP.
public struct HTTPPodcastServer: PodcastServer {
    /// Reports at once that a server cannot be reached, which `HTTPClient.shared` does after its timeout.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(configuration: configuration)
    }()

    private let address: String
    /// The number of bytes that one request for sound gets.
    private let partSize: Int

    /// Creates a server with an address such as `http://localhost:8080`.
    public init(_ address: String, partSize: Int = 65_536) {
        self.address = address
        self.partSize = partSize
    }

    /// Returns all episodes.
    public func episodes() async throws(PodcastFailure) -> [Episode] {
        let reply = try await request(.GET, "/episodes")
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            return try decoder.decode([Episode].self, from: Data(reply.bytes))
        } catch {
            throw .confused(status: Int(reply.status.code))
        }
    }

    /// Deletes the episodes with these ids.
    public func delete(_ ids: [Int]) async throws(PodcastFailure) {
        let list = ids.map(String.init).joined(separator: ",")
        _ = try await request(.DELETE, "/episodes?ids=\(list)")
    }

    /// Returns a part of an episode's sound, from this byte on.
    public func part(of id: Int, from start: Int) async throws(PodcastFailure) -> Part {
        let range = "bytes=\(start)-\(start + partSize - 1)"
        let reply = try await request(.GET, "/episodes/\(id)/sound", ["Range": range])
        // Content-Range: bytes 0-65535/1000000
        let total = reply.headers.first(name: "Content-Range")?.split(separator: "/").last.flatMap { Int($0) }
        guard reply.status == .partialContent, let total, !reply.bytes.isEmpty else {
            throw .confused(status: Int(reply.status.code))
        }
        return Part(bytes: reply.bytes, total: total)
    }

    private struct Reply {
        let status: HTTPResponseStatus
        let headers: HTTPHeaders
        let bytes: [UInt8]
    }

    private func request(
        _ method: HTTPMethod,
        _ path: String,
        _ headers: HTTPHeaders = [:]
    ) async throws(PodcastFailure) -> Reply {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        request.headers = headers
        let response: HTTPClientResponse
        do {
            response = try await Self.client.execute(request, timeout: .seconds(60))
        } catch {
            throw .unreachable
        }
        switch response.status {
        case .ok, .partialContent, .noContent: break
        case .serviceUnavailable: throw .busy
        case .notFound: throw .gone
        default: throw .confused(status: Int(response.status.code))
        }
        do {
            let body = try await response.body.collect(upTo: 64 << 20)
            return Reply(status: response.status, headers: response.headers, bytes: Array(body.readableBytesView))
        } catch {
            throw .cutOff
        }
    }
}
