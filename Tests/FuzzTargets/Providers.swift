import AsyncHTTPClient
import FoundationEssentials
import JSONRPC
import NIOHTTP1
import Synchronization
import ViewModelKit
import ViewModelStore

@testable import Accounts

/// Gives the input to both providers as the answers of their backends.
///
/// Each line is an answer: the status, `Retry-After`, the ETag and the body, with tabs between them. What a provider makes of
/// them can be kept and sent to clients, or is an `AccountError`.
func fuzzProviders(_ input: UnsafeRawBufferPointer) {
    let answers = input.split(separator: UInt8(ascii: "\n")).prefix(3).map { HTTPResponse(line: Array($0)) }
    guard !answers.isEmpty else { return }
    finish {
        do {
            for (number, answer) in answers.enumerated() {
                let next = number + 1 < answers.count ? answers[number + 1] : answer
                try await check(HTTPProvider(url: "http://localhost", over: CannedAnswers([answer])))
                try await check(OAuthProvider(configuration: .canned, over: CannedAnswers([answer, next])))
                _ = await outcome { try await OAuthMetadata.ask("http://localhost", over: AnyAnswer(answer: answer)) }
            }
        } catch {
            fatalError("a provider cannot be made: \(error)")
        }
    }
}

private func check(_ provider: some AccountProvider) async {
    let token = VaultToken(access: Password("access"), refresh: Password("refresh"), account: "ada")
    if let signIn = await outcome({ try await provider.signIn("ada", password: "secret", for: 0) }) { check(signIn) }
    for etag in [nil, "1"] {
        if case .page(let page, _) = await outcome({ try await provider.page(token, etag: etag) }) { check(page) }
    }
    if let token = await outcome({ try await provider.refresh(token) }) ?? nil { check(token) }
    await outcome { try await provider.deliver("text", key: "1", with: token) }
    guard let grant = await outcome({ try await provider.beginDevice() }) else { return }
    require(JSONText.of(grant.prompt) != nil, "clients cannot be told \(grant.prompt)")
    require(grant.remaining >= .zero && grant.remaining <= .seconds(86_400), "it remains for \(grant.remaining)")
    require(grant.interval >= .seconds(1) && grant.interval <= .seconds(3_600), "it is polled each \(grant.interval)")
    if case .granted(let signIn) = await outcome({ try await provider.poll(grant) }) { check(signIn) }
}

private func check(_ signIn: SignIn) {
    check(signIn.token)
    check(signIn.page)
}

private func check(_ token: VaultToken) {
    require(token.access.revealed.isValidBearerToken, "the token cannot be sent")
    guard let date = token.expiresAt else { return }
    require(abs(date.timeIntervalSinceNow) <= .longestToken, "the token ends at \(date)")
    require(JSONText.of(date) != nil, "the date \(date) cannot be written")
}

private func check(_ page: AccountPage) {
    require(JSONText.of(page) != nil, "clients cannot be told \(page)")
    let kept = try? JSONEncoder().encode(page)
    let again = kept.flatMap { try? JSONDecoder().decode(AccountPage.self, from: $0) }
    require(again == page, "the page \(page) became \(String(describing: again))")
}

/// The result; nil after an `AccountError`, which is the only one that may be thrown.
@discardableResult
private func outcome<Value: Sendable>(_ body: () async throws -> Value) async -> Value? {
    do {
        return try await body()
    } catch let error as AccountError {
        let wait = error.retryAfter ?? .zero
        require(wait >= .zero && wait <= .seconds(86_400), "the next attempt is to come after \(wait)")
        require(JSONText.of(error.description) != nil, "clients cannot be told \(error)")
        return nil
    } catch {
        fatalError("not an AccountError: \(error)")
    }
}

extension JSONText {
    /// The text of a value; nil where it cannot be written.
    fileprivate static func of(_ value: some Encodable) -> [UInt8]? {
        var writer = JSONWriter()
        return (try? writer.encode(value)).map { writer.bytes }
    }
}

extension OAuthConfiguration {
    fileprivate static let canned = OAuthConfiguration(
        issuer: "http://localhost",
        clientID: "fuzz",
        passwordGrant: true,
        messagesURL: "http://localhost"
    )
}

extension HTTPResponse {
    fileprivate init(line: [UInt8]) {
        let fields = line.split(separator: UInt8(ascii: "\t"), maxSplits: 3, omittingEmptySubsequences: false)
        func text(_ index: Int) -> String {
            index < fields.count ? String(decoding: fields[index], as: UTF8.self) : ""
        }
        var headers = HTTPHeaders()
        for (index, name) in [(1, "Retry-After"), (2, "ETag")] where !text(index).isEmpty {
            headers.add(name: name, value: text(index))
        }
        self.init(
            status: HTTPResponseStatus(statusCode: min(UInt16(text(0)).map(Int.init) ?? 200, 999)),
            headers: headers,
            body: fields.count > 3 ? Array(fields[3]) : []
        )
    }
}

/// Gives the answers one after the other, and the last one again and again.
///
/// The metadata of the provider is always sound.
private final class CannedAnswers: HTTPExchange {
    private static let metadata = HTTPResponse(
        line: Array(
            """
            200\t\t\t{"issuer": "http://localhost", "token_endpoint": "http://localhost/token", \
            "device_authorization_endpoint": "http://localhost/device", "userinfo_endpoint": "http://localhost/user"}
            """.utf8
        )
    )
    private let answers: Mutex<[HTTPResponse]>

    init(_ answers: [HTTPResponse]) {
        self.answers = Mutex(answers)
    }

    func send(_ request: HTTPClientRequest) async throws -> HTTPResponse {
        if request.url.contains("/.well-known/") { return Self.metadata }
        return answers.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }

    func shutDown() async {}
}

/// Gives one answer to everything, also where the metadata is asked for.
private struct AnyAnswer: HTTPExchange {
    let answer: HTTPResponse

    func send(_ request: HTTPClientRequest) async throws -> HTTPResponse { answer }
    func shutDown() async {}
}
