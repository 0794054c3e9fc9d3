import FoundationEssentials
import NIOHTTP1
package import Synchronization

/// A backend with the JSON API that honours `Idempotency-Key` and injects a test's faults into deliveries.
package final class UnreliableBackend: Sendable {
    /// A fault of a delivery.
    package enum Fault: Sendable {
        /// Answers 503 and does not accept the message.
        case unavailable
        /// Closes the connection and does not accept the message.
        case hangUp
        /// Sends no answer and does not accept the message.
        case silence
        /// Accepts the message and closes the connection, on the first delivery only.
        case lostAnswer
        /// Answers 422 and does not accept the message.
        case rejection
    }

    /// The configuration and the records of the backend.
    package struct State: Sendable {
        fileprivate var random: Seeded
        /// The faults; each occurs in one of twelve deliveries on average.
        package var faults: [Fault]
        /// Whether the backend answers every message with 503.
        package var isDown = false
        /// The accepted texts by their keys.
        package fileprivate(set) var taken: [String: String] = [:]
        /// The number of authorized deliveries of each key.
        package fileprivate(set) var deliveries: [String: Int] = [:]
        /// The bodies without a key or a text, and the keys that arrived with different texts.
        package fileprivate(set) var contradictions: [String] = []
        fileprivate var tokens: Set<String> = []
        fileprivate var lastToken = 0
    }

    /// The configuration and the records of the backend.
    package let state: Mutex<State>
    private let server = Mutex<Backend?>(nil)

    private init(_ state: State) {
        self.state = Mutex(state)
    }

    /// Starts a backend whose faults repeat for the same seed.
    package static func start(seed: UInt64, faults: [Fault]) async throws -> UnreliableBackend {
        let backend = UnreliableBackend(State(random: Seeded(seed, for: "backend"), faults: faults))
        let server = try await Backend { backend.reply(to: $0) }
        backend.server.withLock { $0 = server }
        return backend
    }

    /// The base address of the backend.
    package var url: String { server.withLock { $0?.url ?? "" } }

    /// Closes the listening socket.
    package func stop() async {
        await server.withLock { $0 }?.stop()
    }

    private func reply(to request: Backend.Request) -> Backend.Reply {
        state.withLock { state in
            switch request.path {
            case "/login": state.login()
            case "/logout": state.logout(request)
            case "/messages": state.message(request)
            default: .answer(.notFound)
            }
        }
    }
}

private struct Message: Decodable {
    let text: String
}

extension UnreliableBackend.State {
    fileprivate mutating func login() -> Backend.Reply {
        lastToken += 1
        tokens.insert("Bearer token-\(lastToken)")
        return .json(#"{"token": "token-\#(lastToken)", "auto_login": {"account": "ada"}}"#)
    }

    fileprivate mutating func logout(_ request: Backend.Request) -> Backend.Reply {
        tokens.remove(request.headers.first(name: "Authorization") ?? "")
        return .answer(.ok)
    }

    fileprivate mutating func message(_ request: Backend.Request) -> Backend.Reply {
        guard tokens.contains(request.headers.first(name: "Authorization") ?? "") else {
            return .refusal("no such token", .unauthorized)
        }
        guard let key = request.headers.first(name: "Idempotency-Key"),
            let message = try? JSONDecoder().decode(Message.self, from: Data(request.body.utf8))
        else {
            contradictions.append(request.body)
            return .answer(.badRequest)
        }
        deliveries[key, default: 0] += 1
        if isDown { return .answer(.serviceUnavailable) }
        if let former = taken[key] {
            if former != message.text { contradictions.append(key) }
            return .answer(.ok)
        }
        let fault = Int.random(in: 0..<12, using: &random)
        switch faults.indices.contains(fault) ? faults[fault] : nil {
        case .unavailable: return .answer(.serviceUnavailable)
        case .hangUp: return .hangUp
        case .silence: return .stall
        case .rejection: return .refusal("not this one", .unprocessableEntity)
        case .lostAnswer where deliveries[key] == 1:
            taken[key] = message.text
            return .hangUp
        case .lostAnswer, nil:
            taken[key] = message.text
            return .answer(.created)
        }
    }
}
