import Synchronization
import ViewModelProtocol

/// What a field's box shows.
public struct FieldContent<Value: Codable & Equatable & Sendable>: Equatable, Sendable {
    /// The value: the person's own while it is unanswered, otherwise the output.
    ///
    /// It is nil until the first picture comes.
    public var value: Value?
    /// The position of the caret in a text, a number of characters; 0 for any other value.
    public var caret: Int
    /// Whether the daemon has answered everything, so that the box shows the output.
    public var isSettled: Bool
    /// The refusal of the last value, or the end of the field.
    ///
    /// The next edit clears a refusal.
    public var failure: ClientError?
}

/// A text box, or another control, bound to a field: an input and a state output of the same name and type (protocol,
/// section 6).
///
/// The control reports each change with ``edit(_:)``. It shows ``content`` whenever ``changes()`` has an element. It thus
/// loses no keystroke and moves no caret at any latency, shows what the ViewModel made of the value, and sends unanswered
/// values again after a reconnection. With two writers the last one wins.
///
/// ```swift
/// let draft = client.field("sendList", "draft", of: String.self)
/// draft.edit("Bananas", caret: 7)
/// for await content in draft.changes() { box.show(content.value, content.caret) }
/// ```
///
/// Isolation: `Sendable`. ``edit(_:)`` and ``content`` need no `await`, so that a user interface can call them in the
/// handler of a key. If the control reads ``content`` there as well, no late update can overwrite a keystroke.
///
/// The field ends with the last reference to it.
public final class RemoteField<Value: Codable & Equatable & Sendable>: Sendable {
    /// The id of the instance.
    public let instance: String
    /// The name of the input and of the output.
    public let name: String

    let client: ViewModelClient
    let token = ClientToken.next()
    private let state = Mutex(State())

    private struct State {
        var machine = FieldMachine<JSONValue>()
        var caret = 0
        var listeners: [Int: AsyncStream<FieldContent<Value>>.Continuation] = [:]
    }

    init(client: ViewModelClient, instance: String, name: String) {
        self.client = client
        self.instance = instance
        self.name = name
    }

    deinit {
        let token = token
        client.later { $0.fields[token] = nil }
        for listener in state.withLock(\.listeners.values) { listener.finish() }
    }

    /// What the box shows now.
    public var content: FieldContent<Value> {
        state.withLock { Self.content($0) }
    }

    /// Takes a new value from the person.
    ///
    /// The box shows it at once. A value that JSON cannot represent, such as a `Double` that is not finite, is a
    /// ``FieldContent/failure`` and is not sent.
    public func edit(_ value: Value) {
        edit(value, caret: nil)
    }

    func edit(_ value: Value, caret: Int?) {
        let json = Result { () throws(ClientError) in JSONValue(text: try ViewModelClient.text(of: value)) ?? .null }
        state.withLock { state in
            if let caret { state.caret = caret }
            switch json {
            case .failure(let error): state.machine.failure = error
            case .success(let json):
                let former = state.machine.shown
                state.machine.edit(json)
                if caret == nil { Self.moveCaret(&state, from: former) }
            }
        }
        let token = token
        client.later { $0.advanceField(token) }
    }

    /// Returns the contents from now on, beginning with the present one.
    ///
    /// A slow reader gets the latest content. The person's own edits are no elements. The sequence ends with the field.
    public func changes() -> AsyncStream<FieldContent<Value>> {
        let (stream, listener) = AsyncStream<FieldContent<Value>>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let id = ClientToken.next()
        listener.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[id] = nil } }
        let isEnded = state.withLock { state in
            listener.yield(Self.content(state))
            if state.machine.phase != .ended { state.listeners[id] = listener }
            return state.machine.phase == .ended
        }
        // The end calls `onTermination` at once, which takes the lock.
        if isEnded { listener.finish() }
        return stream
    }

    /// Waits until the daemon has answered everything, and returns the output.
    ///
    /// - Parameter timeout: The time after which the call throws ``ClientError/Code-swift.struct/timedOut``, or nil for
    ///   none.
    /// - Returns: The value of the output.
    /// - Throws: ``ClientError`` if the field has ended or its last value was refused, `CancellationError`.
    @discardableResult
    public func settle(timeout: Duration? = nil) async throws -> Value {
        try await TimeLimit.run(timeout, "The field \(instance).\(name)") {
            for await content in self.changes() {
                if let failure = content.failure { throw failure }
                if content.isSettled, let value = content.value { return value }
            }
            try Task.checkCancellation()
            throw self.content.failure ?? ClientError.bindingEnded(self.instance)
        }
    }

    private static func content(_ state: borrowing State) -> FieldContent<Value> {
        let value = state.machine.shown.flatMap { json in
            try? IncomingLine.decode(Value.self, json.text)
        }
        return FieldContent(
            value: value,
            caret: state.caret,
            isSettled: state.machine.isSettled,
            failure: state.machine.failure
        )
    }

    /// Moves the caret of a text that changed.
    private static func moveCaret(_ state: inout State, from old: JSONValue?) {
        guard let new = state.machine.shown?.stringValue, new != old?.stringValue else { return }
        state.caret = TextCaret.moved(state.caret, from: old?.stringValue ?? "", to: new)
    }

    /// Reports an event to the machine, and the content to the listeners if it has changed.
    func apply(_ event: ClientField.Event) {
        let ended = state.withLock { state in
            let old = state.machine
            event(&state.machine)
            let new = state.machine
            if new.shown != old.shown { Self.moveCaret(&state, from: old.shown) }
            if new.shown != old.shown || new.isSettled != old.isSettled || new.failure != old.failure {
                let content = Self.content(state)
                for listener in state.listeners.values { listener.yield(content) }
            }
            defer { if new.phase == .ended { state.listeners = [:] } }
            return new.phase == .ended ? Array(state.listeners.values) : []
        }
        // The end calls `onTermination` at once, which takes the lock.
        for listener in ended { listener.finish() }
    }
}

extension RemoteField where Value == String {
    /// Takes a new text from the person.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - caret: The position of the caret, a number of characters.
    public func edit(_ text: String, caret: Int) {
        edit(text, caret: Optional(caret))
    }

    /// Takes a new position of the caret.
    ///
    /// - Parameter caret: The position, a number of characters.
    public func moveCaret(to caret: Int) {
        state.withLock { $0.caret = caret }
    }
}
