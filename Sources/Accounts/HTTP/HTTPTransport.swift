import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL

/// Makes requests of a backend.
protocol HTTPExchange: Sendable {
    /// Makes one attempt.
    ///
    /// - Throws: ``AccountError`` `.unreachable` when no whole answer came; `CancellationError`.
    func send(_ request: HTTPClientRequest) async throws -> HTTPAnswer

    /// Closes the connections.
    func shutDown() async
}

/// Makes requests: in time, of bounded size, over verified TLS, following no redirects.
final class HTTPTransport: HTTPExchange {
    /// What an answer may have at most.
    static let maximumBytes = 1_048_576

    private let client: HTTPClient
    private let timeout: Duration

    /// - Parameters:
    ///   - timeout: what a request may take, from the name's look-up to the answer's last byte.
    ///   - roots: whose certificates are believed; by default those that the system believes.
    init(timeout: Duration, trusting roots: NIOSSLTrustRoots = .default) {
        self.timeout = timeout
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = roots
        configuration.tlsConfiguration = tls
        configuration.timeout.connect = .init(timeout)
        configuration.timeout.read = .init(timeout)
        // A connection that the backend is about to close would fail a request that must not be repeated.
        configuration.connectionPool.idleTimeout = .seconds(2)
        // A refused connection is told at once; whether to try again is the caller's decision.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    func send(_ request: HTTPClientRequest) async throws -> HTTPAnswer {
        do {
            _ = try WebAddress(request.url)
        } catch {
            throw AccountError(.unreachable, "The backend's address \(error)")
        }
        let client = client
        let timeout = timeout
        do {
            return try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
                group.addTask { try await Self.exchange(request, client, timeout) }
                group.addTask {
                    try await Task.sleep(for: timeout)
                    throw HTTPClientError.deadlineExceeded
                }
                defer { group.cancelAll() }
                guard let answer = try await group.next() else { throw CancellationError() }
                return answer
            }
        } catch {
            try Task.checkCancellation()
            throw AccountError(.unreachable, Self.describe(error, timeout))
        }
    }

    @concurrent
    private static func exchange(
        _ request: HTTPClientRequest,
        _ client: HTTPClient,
        _ timeout: Duration
    ) async throws -> HTTPAnswer {
        let response = try await client.execute(request, timeout: .init(timeout))
        let body = try await response.body.collect(upTo: maximumBytes)
        return HTTPAnswer(status: response.status, headers: response.headers, body: [UInt8](body.readableBytesView))
    }

    func shutDown() async {
        try? await client.shutdown()
    }

    /// Says what happened without the request: an address may have a password in it.
    private static func describe(_ error: any Error, _ timeout: Duration) -> String {
        switch error {
        case is NIOTooManyBytesError: "The backend's answer is too long"
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout:
            "The backend did not answer within \(timeout.components.seconds) s"
        case let error as HTTPClientError where error == .connectTimeout: "The backend was not connected to in time"
        case is HTTPClientError: "The backend broke off its answer"
        case is NIOSSLError, is NIOSSLExtraError:
            "The backend cannot prove who it is: there is no secure connection to it"
        default: "The backend cannot be reached"
        }
    }
}
