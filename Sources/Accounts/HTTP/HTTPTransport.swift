import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL

/// A transport that sends requests to a backend.
protocol HTTPExchange: Sendable {
    /// Sends a request once and returns the whole answer.
    ///
    /// - Throws: ``AccountError`` `.unreachable` without a whole answer; `CancellationError`.
    func send(_ request: HTTPClientRequest) async throws -> HTTPAnswer

    /// Closes the connections.
    func shutDown() async
}

/// A transport with a timeout, a limit for answers and verified TLS, which follows no redirects.
final class HTTPTransport: HTTPExchange {
    /// The maximum size of an answer's body in bytes.
    static let maximumBytes = 1_048_576

    private let client: HTTPClient
    private let timeout: Duration

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - timeout: The maximum duration of a request, from the name's look-up to the answer's last byte.
    ///   - roots: The trusted root certificates; by default those of the system.
    init(timeout: Duration, trusting roots: NIOSSLTrustRoots = .default) {
        self.timeout = timeout
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = roots
        configuration.tlsConfiguration = tls
        configuration.timeout.connect = .init(timeout)
        configuration.timeout.read = .init(timeout)
        // A short idle time avoids connections that the backend is about to close. A request on one would fail, and it
        // must not be repeated.
        configuration.connectionPool.idleTimeout = .seconds(2)
        // A refused connection is reported at once. The caller decides about a repetition.
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

    /// Describes an error without the address, because the address may contain a password.
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
