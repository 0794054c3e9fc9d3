import Synchronization

/// Tells everyone who listens on a topic; nobody has to.
///
/// Isolation: used from anywhere; never blocks and never waits for a listener. Sending costs one look-up where nobody listens.
public final class Broadcast<Topic: Hashable & Sendable, Message: Sendable>: Sendable {
    private struct State {
        var listeners: [Topic: [Int: AsyncStream<Message>.Continuation]] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())
    private let departures = Departures<(number: Int, topic: Topic)>()

    /// A broadcast that nobody listens to yet.
    public init() {}

    /// What is sent on a topic from now on, until the stream is let go of or its task is cancelled.
    ///
    /// - Parameter limit: how many messages wait for a slow listener; the newest are kept.
    public func messages(on topic: Topic, keeping limit: Int = 1) -> AsyncStream<Message> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Message.self,
            bufferingPolicy: .bufferingNewest(limit)
        )
        removeDeparted()
        let number = state.withLock { state in
            state.lastNumber += 1
            state.listeners[topic, default: [:]][state.lastNumber] = continuation
            return state.lastNumber
        }
        continuation.onTermination = { [departures] _ in departures.note((number, topic)) }
        return stream
    }

    /// Sends a message to those who listen on a topic; all of them get messages in the same order.
    public func send(_ message: Message, on topic: Topic) {
        removeDeparted()
        state.withLock { state in
            for listener in (state.listeners[topic] ?? [:]).values {
                listener.yield(message)
            }
        }
    }

    /// How many listen on a topic.
    public func listenerCount(on topic: Topic) -> Int {
        removeDeparted()
        return state.withLock { $0.listeners[topic]?.count ?? 0 }
    }

    private func removeDeparted() {
        let departed = departures.takeAll()
        guard !departed.isEmpty else { return }
        // What is removed is released outside of the lock: its end may run foreign code.
        let removed = state.withLock { state in
            departed.map { number, topic in
                let removed = state.listeners[topic]?.removeValue(forKey: number)
                if state.listeners[topic]?.isEmpty == true { state.listeners[topic] = nil }
                return removed
            }
        }
        withExtendedLifetime(removed) {}
    }
}
