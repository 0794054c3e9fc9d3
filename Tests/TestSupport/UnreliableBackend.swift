import FoundationEssentials
import NIOHTTP1
package import Synchronization

/// A backend with the JSON API that honours `Idempotency-Key` and takes messages as reliably as a test wants.
package final class UnreliableBackend: Sendable {
    /// What can happen to a message.
    package enum Fault: Sendable {
        /// 503, and the message was not taken.
        case unavailable
        /// The connection is closed, and the message was not taken.
        case hangUp
        /// No answer comes, and the message was not taken.
        case silence
        /// The message is taken, and the connection closed; only where the message comes for the first time.
        case lostAnswer
        /// 422, and the message was not taken.
        case rejection
    }

    /// What it does, and has done.
    package struct State: Sendable {
        fileprivate var random: Seeded
        /// What happens to messages, each in one of twelve cases.
        package var faults: [Fault]
        /// Whether every message is answered 503.
        package var isDown = false
        /// The texts that were taken, by their keys: each once.
        package fileprivate(set) var taken: [String: String] = [:]
        /// How often each key came.
        package fileprivate(set) var deliveries: [String: Int] = [:]
        /// Messages without a key, or with one that was another message's.
        package fileprivate(set) var contradictions: [String] = []
        fileprivate var tokens: Set<String> = []
        fileprivate var lastToken = 0
    }

    /// What it does, and has done.
    package let state: Mutex<State>
    private let server = Mutex<Backend?>(nil)

    private init(_ state: State) {
        self.state = Mutex(state)
    }

    /// Starts one whose faults a seed repeats.
    package static func start(seed: UInt64, faults: [Fault]) async throws -> UnreliableBackend {
        let backend = UnreliableBackend(State(random: Seeded(seed, for: "backend"), faults: faults))
        let server = try await Backend { backend.reply(to: $0) }
        backend.server.withLock { $0 = server }
        return backend
    }

    /// Where it is.
    package var url: String { server.withLock { $0?.url ?? "" } }

    /// Closes the port.
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
