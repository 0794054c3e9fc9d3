package import AsyncHTTPClient
import Dispatch
import FoundationEssentials
import Glibc
import NIOCore
package import NIOHTTP1
import NIOPosix
package import NIOSSL
import UnixIO

/// Sends HTTP requests to a backend or a provider.
package protocol HTTPExchange: Sendable {
    /// Sends a request once and returns the whole answer.
    ///
    /// - Throws: ``AccountError`` `.unreachable` without a whole answer, `.rejected` for a request that is too long to be
    ///   sent; `CancellationError`.
    func send(_ request: HTTPClientRequest) async throws -> HTTPResponse

    func shutDown() async
}

/// A transport with a timeout, a limit for answers and verified TLS, which follows no redirects.
package final class HTTPTransport: HTTPExchange {
    /// The maximum size of an answer's body in bytes.
    static let maximumBytes = 1_048_576
    /// The maximum size of a request's line and headers in bytes.
    ///
    /// The HTTP client ends the process for more than 64 KiB, its limit for unsent bytes.
    static let maximumHeadBytes = 32_768

    private let client: HTTPClient
    private let timeout: Duration
    /// The section of the configuration that errors name.
    private let section: String

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - timeout: The maximum duration of a request, from the name's look-up to the answer's last byte.
    ///   - section: The section of the configuration that errors name.
    ///   - connections: The most connections to one server without HTTP/2; further requests wait.
    ///   - roots: The trusted root certificates; by default those of the system.
    package init(
        timeout: Duration,
        section: String = "account",
        connections: Int = 8,
        trusting roots: NIOSSLTrustRoots = .default
    ) {
        (self.timeout, self.section) = (timeout, section)
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = roots
        tls.minimumTLSVersion = .tlsv12
        configuration.tlsConfiguration = tls
        configuration.timeout.connect = .init(timeout)
        configuration.timeout.read = .init(timeout)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        // A short idle time avoids connections that the backend is about to close. A request on one would fail, and it
        // must not be repeated.
        configuration.connectionPool.idleTimeout = .seconds(2)
        // A refused connection is reported at once. The caller decides about a repetition.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = Self.setCloseOnExec
        configuration.http2ConnectionDebugInitializer = Self.setCloseOnExec
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        CloseOnExec.setPolls()
    }

    /// Sets the flag of a connection's socket that keeps child processes from inheriting it.
    @Sendable private static func setCloseOnExec(_ channel: any Channel) -> EventLoopFuture<Void> {
        channel.eventLoop.submit {
            try channel.pipeline.syncOperations.withUnsafeTransportIfAvailable { (socket: NIOBSDSocket.Handle) in
                CloseOnExec.set(socket)
            }
        }
        .map { _ in }
    }

    package func send(_ request: HTTPClientRequest) async throws -> HTTPResponse {
        let origin: String
        do {
            origin = try WebAddress(request.url).origin
        } catch {
            throw AccountError(.unreachable, "The backend's address \(error)")
        }
        let bytes = request.headers.reduce(request.url.utf8.count) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard bytes <= Self.maximumHeadBytes else {
            throw AccountError(
                .rejected,
                """
                The request to \(origin) is not sent: its headers have \(bytes) bytes, and at most \
                \(Self.maximumHeadBytes) are allowed. Check the length of account.oauth.clientId and of the client secret
                """
            )
        }
        do {
            return try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                group.addTask { try await self.exchange(request) }
                group.addTask {
                    try await Task.sleep(for: self.timeout)
                    throw HTTPClientError.deadlineExceeded
                }
                defer { group.cancelAll() }
                guard let answer = try await group.next() else { throw CancellationError() }
                return answer
            }
        } catch {
            try Task.checkCancellation()
            throw AccountError(.unreachable, describe(error, origin))
        }
    }

    @concurrent
    private func exchange(_ request: HTTPClientRequest) async throws -> HTTPResponse {
        let response = try await client.execute(request, timeout: .init(timeout))
        let body = try await response.body.collect(upTo: Self.maximumBytes)
        return HTTPResponse(status: response.status, headers: response.headers, body: [UInt8](body.readableBytesView))
    }

    package func shutDown() async {
        // The default is a global queue, whose first thread makes libdispatch read `/proc` once a second. libdispatch
        // ends the process if no descriptor is left for that.
        await withCheckedContinuation { continuation in
            client.shutdown(queue: DispatchQueue(label: "viewmodeld.http")) { _ in continuation.resume() }
        }
    }

    /// Describes an error and its remedy.
    ///
    /// It names the origin only, because a path or a query may contain a secret.
    private func describe(_ error: any Error, _ origin: String) -> String {
        let backend = "The backend \(origin)"
        switch error {
        case is NIOTooManyBytesError: return "\(backend) sent an answer of more than \(Self.maximumBytes) bytes"
        case let error as HTTPClientError where error == .deadlineExceeded || error == .readTimeout:
            return "\(backend) did not answer within \(timeout.components.seconds) s. \(remedy)"
        case let error as HTTPClientError where error == .connectTimeout:
            return "\(backend) was not connected to in time. \(remedy)"
        case is HTTPParserError: return "\(backend) sent an answer that is not HTTP. Check its address"
        case is HTTPClientError: return "\(backend) broke off its answer. Look at its log"
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            return """
                \(backend) cannot prove who it is: there is no secure connection to it. Its certificate must be valid, for \
                this host and trusted by this machine, and it must offer TLS 1.2 or later
                """
        case let error as NIOConnectionError:
            guard let code = error.connectionErrors.lazy.compactMap({ ($0.error as? IOError)?.errnoCode }).first else {
                return "\(backend) cannot be reached: its name was not found. Check its address and the name server"
            }
            return "\(backend) cannot be reached: \(SystemError(code: code)). \(remedy)"
        case let error as IOError:
            return "\(backend) cannot be reached: \(SystemError(code: error.errnoCode)). \(remedy)"
        default: return "\(backend) cannot be reached. \(remedy)"
        }
    }

    private var remedy: String { "Look at the server, the network and the section \(section) of the configuration" }
}

/// A complete HTTP response of a backend.
package struct HTTPResponse: Sendable {
    package let status: HTTPResponseStatus
    let headers: HTTPHeaders
    package let body: [UInt8]

    package var isSuccess: Bool { (200..<300).contains(status.code) }
    /// Whether the request is refused for good: 4xx but 429, which asks to come back later.
    var isRefused: Bool { (400..<500).contains(status.code) && status != .tooManyRequests }

    /// Whether the backend has decided about the request, so that its body says how.
    var isDecision: Bool { isSuccess || isRefused }

    /// Decodes the body as JSON whose names have the form `access_token`, or returns nil if that fails.
    package func decoded<Value: Decodable>(_ type: Value.Type = Value.self) -> Value? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try? decoder.decode(type, from: Data(body))
    }

    /// The version of the page in this answer; nil without one that a later request can send.
    var entityTag: String? { headers.first(name: "ETag").flatMap { $0.isValidEntityTag ? $0 : nil } }

    /// The error for an answer that cannot be used: a 5xx, a redirect or an invalid body.
    package var unusable: AccountError {
        switch status.code {
        case 200..<300: AccountError(.unreachable, "The backend's answer makes no sense")
        case 300..<400: AccountError(.unreachable, "The backend redirects elsewhere (\(status.code))")
        default: AccountError(.unreachable, "The backend failed (\(status.code))", retryAfter: retryAfter)
        }
    }

    /// The delay of `Retry-After`, from 0 to one day, given in seconds or as a date (RFC 9110, section 10.2.3).
    var retryAfter: Duration? {
        guard let text = headers.first(name: "Retry-After") else { return nil }
        if let seconds = Int(text) { return .seconds(min(max(seconds, 0), 86_400)) }
        guard let date = Date(httpDate: text) else { return nil }
        return .seconds(min(max(date.timeIntervalSinceNow, 0), 86_400))
    }
}

extension Date {
    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Parses the date of an HTTP header, such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
    init?(httpDate text: String) {
        let fields = text.split(separator: " ")
        guard fields.count == 6, fields[5] == "GMT", let month = Self.months.firstIndex(of: fields[2]) else {
            return nil
        }
        let text = "\(fields[3])-\(month < 9 ? "0" : "")\(month + 1)-\(fields[1])T\(fields[4])Z"
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        self = date
    }
}
