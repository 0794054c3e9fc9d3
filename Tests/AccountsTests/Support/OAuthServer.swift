import TestSupport
import Foundation
import NIOHTTP1
import Synchronization
import ViewModelKit

/// An OAuth server that refuses whatever the RFCs do not allow.
final class OAuthServer: Sendable {
    struct State {
        var issued = 0
        var access: Set<String> = []
        var refresh: Set<String> = []
        var revoked: [String] = []
        var lifetime = 3_600
        /// What the device grant is answered with, in order; granted when there is nothing left.
        var deviceErrors: [String] = []
        /// Put in the place of the issuer in the metadata.
        var claimedIssuer: String?
        /// Addresses in the place of those that the metadata name.
        var endpoints: [String: String] = [:]
        /// Whether no token that it issues is good for anything.
        var issuesUselessTokens = false
        /// What is known of the user.
        var user = #"{"sub": "1", "preferred_username": "ada", "name": "Ada", "phone_number": "+4912345678"}"#
        var authentication: String? = "client_secret_basic"
        /// Whether it refuses without saying why, as some do.
        var isSilent = false
        /// Whether the token endpoint asks to come back later.
        var isBusy = false
    }

    let state = Mutex(State())
    private let backend = Mutex<Backend?>(nil)

    static func start() async throws -> OAuthServer {
        let server = OAuthServer()
        let backend = try await Backend { server.answer($0) }
        server.backend.withLock { $0 = backend }
        return server
    }

    var url: String { backend.withLock { $0?.url ?? "" } }

    func count(_ path: String) -> Int { backend.withLock { $0?.count(path) ?? 0 } }

    func stop() async { await backend.withLock { $0 }?.stop() }

    private func answer(_ request: Backend.Request) -> Backend.Reply {
        switch (request.method, request.path) {
        case (.GET, "/.well-known/openid-configuration"): metadata()
        case (.GET, "/userinfo"): userinfo(request)
        case (.POST, "/token"): client(request) { token($0) }
        case (.POST, "/device"): client(request) { device($0) }
        case (.POST, "/revoke"): client(request) { revoke($0) }
        default: .answer(.notFound)
        }
    }

    private func metadata() -> Backend.Reply {
        let issuer = state.withLock { $0.claimedIssuer } ?? url
        let methods = state.withLock { $0.authentication } ?? "none"
        let endpoints = state.withLock { $0.endpoints }
        func address(_ name: String, _ path: String) -> String {
            "\"\(name)\": \"\(endpoints[name] ?? url + path)\""
        }
        return .json(
            #"""
            {"issuer": "\#(issuer)", \#(address("token_endpoint", "/token")), \#(address("userinfo_endpoint", "/userinfo")),
            \#(address("device_authorization_endpoint", "/device")), \#(address("revocation_endpoint", "/revoke")),
            "token_endpoint_auth_methods_supported": ["\#(methods)"]}
            """#
        )
    }

    /// Checks who asks and how.
    private func client(_ request: Backend.Request, _ body: ([String: String]) -> Backend.Reply) -> Backend.Reply {
        guard request.headers["Content-Type"] == ["application/x-www-form-urlencoded"] else {
            return error("invalid_request")
        }
        var fields: [String: String] = [:]
        for pair in request.body.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let name = parts[0].removingPercentEncoding, fields[name] == nil else {
                return error("invalid_request")
            }
            fields[name] = parts[1].removingPercentEncoding
        }
        let expected = "Basic " + Data("daemon:s%26cret".utf8).base64EncodedString()
        let isKnown =
            switch state.withLock({ $0.authentication }) {
            case "client_secret_basic": request.headers["Authorization"] == [expected] && fields["client_id"] == nil
            case "client_secret_post": fields["client_id"] == "daemon" && fields["client_secret"] == "s&cret"
            default: fields["client_id"] == "daemon" && request.headers["Authorization"].isEmpty
            }
        return isKnown ? body(fields) : error("invalid_client", status: .unauthorized)
    }

    private func token(_ fields: [String: String]) -> Backend.Reply {
        if state.withLock({ $0.isBusy }) { return error("temporarily_unavailable", status: .tooManyRequests) }
        switch fields["grant_type"] {
        case "password":
            guard fields["username"] == "ada", fields["password"] == AccountFixture.password.revealed else {
                return error("invalid_grant", "no such pair")
            }
            return issue()
        case "refresh_token":
            let isGood = state.withLock { $0.refresh.remove(fields["refresh_token"] ?? "") } != nil
            return isGood ? issue() : error("invalid_grant", "too old")
        case "urn:ietf:params:oauth:grant-type:device_code":
            guard fields["device_code"] == "device-1" else { return error("invalid_grant") }
            let next = state.withLock { $0.deviceErrors.isEmpty ? nil : $0.deviceErrors.removeFirst() }
            return next.map { error($0) } ?? issue()
        default: return error("unsupported_grant_type")
        }
    }

    private func issue() -> Backend.Reply {
        let (number, lifetime) = state.withLock { state in
            state.issued += 1
            if !state.issuesUselessTokens { state.access.insert("access-\(state.issued)") }
            state.refresh.insert("refresh-\(state.issued)")
            return (state.issued, state.lifetime)
        }
        return .json(
            #"{"access_token": "access-\#(number)", "token_type": "Bearer", "expires_in": \#(lifetime), "refresh_token": "refresh-\#(number)"}"#
        )
    }

    private func device(_ fields: [String: String]) -> Backend.Reply {
        let start = #"{"device_code": "device-1", "user_code": "ABCD", "expires_in": 60, "interval": 1, "#
        return .json(start + #""verification_uri": "\#(url)/go"}"#)
    }

    private func revoke(_ fields: [String: String]) -> Backend.Reply {
        state.withLock { $0.revoked.append(fields["token"] ?? "") }
        return .answer(.ok)
    }

    private func userinfo(_ request: Backend.Request) -> Backend.Reply {
        let token = request.headers["Authorization"].first?.split(separator: " ").last.map(String.init) ?? ""
        let isGood = state.withLock { $0.access.contains(token) }
        return isGood ? .json(state.withLock { $0.user }) : error("invalid_token", status: .unauthorized)
    }

    private func error(
        _ name: String,
        _ text: String? = nil,
        status: HTTPResponseStatus = .badRequest
    ) -> Backend.Reply {
        if state.withLock({ $0.isSilent }) { return .answer(status) }
        let description = text.map { #", "error_description": "\#($0)""# } ?? ""
        return .answer(status, #"{"error": "\#(name)"\#(description)}"#)
    }
}
