import AsyncHTTPClient
import Foundation
import NIOHTTP1
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

/// A real OpenID provider with a client and a user, which `.ci/glewlwyd` runs; the variable `GLEWLWYD_URL` says where.
struct Glewlwyd {
    static let url = ProcessInfo.processInfo.environment["GLEWLWYD_URL"]

    private let url: String

    /// The name that tokens are kept under.
    var provider: String { "oauth \(url)/api/oidc" }

    private init() throws {
        url = try #require(Self.url)
    }

    /// Runs a test with a daemon that this provider knows.
    static func with(
        _ body: @escaping (AccountFixture, Glewlwyd) async throws -> Void,
        again: ((AccountFixture, Glewlwyd) async throws -> Void)? = nil
    ) async throws {
        let server = try Glewlwyd()
        let configuration = OAuthConfiguration(
            issuer: "\(server.url)/api/oidc",
            clientID: "viewmodeld",
            clientSecret: Password("s3cret"),
            scopes: "openid",
            passwordGrant: true
        )
        try await AccountFixture.with(
            { _ in try OAuthProvider(configuration: configuration, timeout: .seconds(30)) },
            { try await body($0, server) },
            again: again.map { again in { try await again($0, server) } }
        )
    }

    /// Does what the person does in a browser: signs in there, allows the client what it asks for, and types the code.
    func approve(_ prompt: DevicePrompt) async throws {
        let credentials = #"{"username": "ada", "password": "\#(AccountFixture.password.revealed)"}"#
        let signedIn = try await send(.POST, "/api/auth/", credentials)
        let cookie = try #require(signedIn.headers.first(name: "Set-Cookie")?.split(separator: ";").first)
        try await send(.PUT, "/api/auth/grant/viewmodeld", #"{"scope": "openid"}"#, cookie: String(cookie))
        let page = "/api/oidc/device?code=\(prompt.userCode)&g_continue"
        let answer = try await send(.GET, page, cookie: String(cookie))
        #expect(answer.headers.first(name: "Location")?.contains("deviceComplete") == true, "\(answer)")
    }

    @discardableResult
    private func send(
        _ method: HTTPMethod,
        _ path: String,
        _ json: String? = nil,
        cookie: String? = nil
    ) async throws -> HTTPResponse {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        if let cookie { request.headers.add(name: "Cookie", value: cookie) }
        if let json {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(Array(json.utf8))
        }
        let transport = HTTPTransport(timeout: .seconds(30))
        let answer: HTTPResponse
        do {
            answer = try await transport.send(request)
        } catch {
            await transport.shutDown()
            throw error
        }
        await transport.shutDown()
        try #require(answer.status.code < 400, "\(method) \(path): \(answer)")
        return answer
    }
}
