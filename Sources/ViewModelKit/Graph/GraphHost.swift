package import FoundationEssentials
package import Logging

/// The interface between a ``Graph`` and the session or the test harness that runs it.
package protocol GraphHost: AnyObject {
    /// Receives an output that the step has changed.
    ///
    /// The outputs of a step come in the order in which they were marked. The step is not committed yet.
    func changed(_ output: AnyOutput, in step: Int)

    /// Receives the commit of a step that has changed outputs or made an instance.
    func committed()

    /// Schedules a call of ``Graph/fire(timer:)`` with this number.
    func schedule(timer number: Int, after delay: Duration) -> any ScheduledWork

    /// The largest number of executions that one action may have at a time (`limits.executions`).
    var executionLimit: Int { get }

    /// Checks that the session may hold this many more bytes for its user (`limits.bytesPerUser`).
    ///
    /// Bytes that are kept without a time limit leave a quarter of the limit free for messages. A user whose sessions
    /// are full therefore gets errors and is not disconnected.
    func checkRoom(for bytes: Int, isBrief: Bool) throws(LimitExceeded)

    /// Counts bytes that are held for the session's user.
    ///
    /// A negative number counts bytes that are released.
    func count(heldBytes change: Int)

    /// The largest number of scenes that the coordinator may show (`limits.scenes`).
    var sceneLimit: Int { get }

    /// Opens an instance as `viewModel.open` does, as a part of the running step.
    ///
    /// The arguments are JSON text. The opener is the id of the instance with which the new one closes, or an empty string.
    ///
    /// - Returns: the id.
    /// - Throws: the errors of ``Instances/open(_:id:arguments:)``.
    func open(_ type: String, id: String?, arguments: [UInt8], for opener: String) throws -> String

    /// Returns the function that closes an instance after the running step; nil if no instance of this id can be closed.
    func closing(_ id: String) -> (() -> Void)?

    /// The daemon's logger, whose records name the session.
    var logger: Logger { get }

    /// Logs that a ViewModel's scene was refused because the coordinator shows `limits.scenes` scenes, or that the catalog
    /// does not name it.
    func logScene(_ scene: String, isRefused: Bool)

    /// Returns the kept value of a key as JSON text, and its revision, or nil if there is none.
    func keptValue(_ key: RestorableKey) -> (text: [UInt8], revision: Int)?

    /// Returns the values that were put aside under the name of a key, the latest first, and then those of former names.
    func otherValues(of key: RestorableKey, formerly names: [String]) -> [(key: RestorableKey, text: [UInt8])]

    /// Gives saved values of an object's former names the present ones, and runs its migrations, before it reads them.
    func prepare(_ owner: RestorableValues.Owner)

    /// Receives the keys that a new object has read.
    ///
    /// The host reports other values of the object, which no property reads.
    func restored(_ owner: RestorableValues.Owner, _ keys: [RestorableKey])

    /// Reports a saved value that is not read completely.
    ///
    /// The problem has no data of the user.
    func report(unread key: RestorableKey, of type: String, _ problem: String)

    /// Keeps the saved text of a key under another name, because it was not read and is about to be replaced.
    ///
    /// Returns false, which it reports, if as many as possible are kept so. Then the text must not be replaced.
    func putAside(_ text: [UInt8], of key: RestorableKey, of type: String) -> Bool

    /// Sets the saved text of a key of the session that no cell has.
    func set(_ text: [UInt8], _ key: RestorableKey)

    /// Erases the kept text of a key, and tells the other sessions that have it.
    ///
    /// If it has another revision than this one, it stays; nil erases any.
    func erase(_ key: RestorableKey, at revision: Int?)

    /// Keeps a value beyond the session, and passes it to the other sessions that have it.
    ///
    /// Returns the revision of the value, which is greater than that of all former values of the key.
    func keep(_ text: [UInt8], as key: RestorableKey) -> Int

    /// The time within which a change is saved, or nil if nothing is saved.
    var saveInterval: Duration? { get }

    /// Saves the session's changes within the save interval, if it is saved.
    func scheduleSave()

    /// Saves the session's changes now, if it is saved.
    func save()

    /// Returns a digest by which the params of two calls with one retry key are compared.
    ///
    /// It reveals nothing about the params without a key that the host keeps to itself.
    func digest(of parameters: [UInt8], key: String) -> [UInt8]

    /// Receives the outcome, nil for an input, of calls with a retry key that an action or an input remembers.
    func remembered(_ outcome: ActionOutcome?, of calls: @autoclosure () -> [KeyedCall], by member: AnyObject)

    /// Returns the member that an object is, with its place in the source, for the log.
    func nameForLog(of object: AnyObject) -> String

    /// Logs a fault in the daemon or in an author's code, and returns the incident's id.
    ///
    /// Clients receive only the id.
    func incident(_ error: any Error, in activity: String) -> String
}

/// The session of a ``Graph``, for callers on any thread.
package protocol GraphSession: AnyObject, Sendable {
    /// Whether the caller is on the session's thread.
    var isCurrent: Bool { get }

    /// The date of the session's clock.
    var date: Date { get }

    /// The time of the session's clock since an arbitrary moment in the past.
    ///
    /// It never decreases.
    var now: Duration { get }

    /// A number from 0 to 1 for delays that must differ: random in the daemon, 0.5 in virtual time.
    var chance: Double { get }

    /// Starts `operation` at once on the session's executor, up to its first suspension.
    ///
    /// The caller is on the session's thread.
    func spawn(_ operation: @escaping () async -> Void) -> Task<Void, Never>

    /// Ends the session in a later task because of an author's mistake, whose object the log names.
    ///
    /// Returns the incident's id. Several mistakes of one session are one incident.
    func endLater(because mistake: AuthorMistake, of object: AnyObject?, computing derived: Node?) -> String

    /// Cancels a timer in a later task of the session.
    func cancelLater(timer number: Int)
}

/// A piece of work that a scheduler will run later.
package protocol ScheduledWork: Sendable {
    /// Cancels the work.
    ///
    /// Has no effect after it has started.
    func cancel()
}

/// The rule for sizes that count towards `limits.bytesPerUser`.
package enum HeldBytes {
    /// Returns the bytes that a text of this size counts.
    ///
    /// A text up to 1,024 bytes counts as 0, so that short ones need no bookkeeping.
    package static func counted(_ size: Int) -> Int { size > 1024 ? size : 0 }
}
