/// What a ``Graph`` needs of whoever runs it: a session, or a test's harness.
package protocol GraphHost: AnyObject {
    /// Tells that a step has ended; `changed` are the outputs whose value is another now, in the order of their marking.
    ///
    /// Takes all of them out of the queue.
    func committed(_ changed: inout OutputQueue, as sequence: Int)

    /// Starts `operation` at once on the session's executor, up to its first suspension.
    func spawn(_ operation: @escaping () async -> Void) -> Task<Void, Never>

    /// Arranges for ``Graph/fire(timer:)`` with this number.
    func schedule(timer number: Int, after delay: Duration) -> any ScheduledWork

    /// How many executions one action may have at a time (`limits.executions`).
    var executionLimit: Int { get }

    /// How many bytes may be held for one user (`limits.bytesPerUser`).
    var byteLimit: Int { get }

    /// Whether so many more bytes may be held for the session's user.
    func mayHold(_ bytes: Int) -> Bool

    /// Whether a session may keep so many more bytes for its user, for as long as it likes.
    ///
    /// A quarter of the limit is left for messages: a user whose sessions are full is refused, not disconnected.
    func mayKeep(_ bytes: Int) -> Bool

    /// Counts bytes that are held, or with a negative number no longer held, for the session's user.
    func count(heldBytes change: Int)

    /// How many scenes the coordinator may show (`limits.scenes`).
    var sceneLimit: Int { get }

    /// Logs that a ViewModel's push was refused, because the coordinator shows as many scenes as it may.
    func refused(scene: String)

    /// Encodes a value as JSON text.
    func encode<Value: Encodable>(_ value: Value) throws -> [UInt8]

    /// Decodes a value from JSON text.
    func decode<Value: Decodable>(_ type: Value.Type, from text: [UInt8]) throws -> Value

    /// Logs that a saved value is dropped because it does not fit any more.
    func dropped(_ name: String, of owner: String, because error: any Error)

    /// Logs that a ViewModel follows a service no more, because its sequence failed.
    func unfollowed(because error: any Error)

    /// Logs a fault of the daemon's own and gives the incident's id, which is all that a client may see of it.
    func incident(_ error: any Error, in place: String) -> String
}

/// The session of a ``Graph``, for callers on any thread.
package protocol GraphSession: AnyObject, Sendable {
    /// Whether the caller is on the session's thread.
    var isCurrent: Bool { get }

    /// The session's clock: time since some moment in the past, which never goes back.
    var now: Duration { get }

    /// Ends the session soon because of an author's mistake.
    ///
    /// - Returns: the incident's id; several mistakes of one session are one incident.
    func failed(_ mistake: AuthorMistake) -> String

    /// Takes a timer back soon.
    func cancelLater(timer number: Int)
}

/// Work that a scheduler has been asked to run later.
package protocol ScheduledWork: Sendable {
    /// Takes the request back; without effect when the work has begun.
    func cancel()
}
