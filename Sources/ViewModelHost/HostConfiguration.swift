package import ViewModelKit

/// The limits and times of a host, named after the configuration's keys.
///
/// The doc comments of the members are what the configuration's example says about the keys.
package struct HostConfiguration: Equatable, Sendable {
    /// The configuration's `limits`.
    @Schemable
    package struct Limits: Sendable {
        /// The most bytes of a message.
        ///
        /// The daemon discards a longer one and answers with an error.
        @Bounds(64...1 << 30) package var messageBytes: Int = 1 << 20
        /// The most entries of a JSON-RPC batch.
        @Bounds(1...65_536) package var batch = 100
        /// The most unanswered requests of a connection.
        @Bounds(1...65_536) package var inFlight = 256
        /// The most events that an instance keeps for clients that read slowly, 1 MiB of them at most.
        ///
        /// Older events are counted as lost.
        @Bounds(1...1_048_576) package var events = 1024
        /// The most connections at a time.
        ///
        /// Each needs a file descriptor: see LimitNOFILE= of the unit.
        @Bounds(1...1_048_576) package var connections = 16384
        /// The most connections of one user at a time.
        @Bounds(1...1_048_576) package var connectionsPerUser = 4096
        /// The most named sessions of one user at a time, with those that linger.
        @Bounds(1...1_048_576) package var sessionsPerUser = 4096
        /// The most instances of a session; the three built-in ones and children count.
        @Bounds(1...1_048_576) package var instancesPerSession = 1024
        /// The bytes of unsent replies above which the daemon reads no further request of that connection.
        @Bounds(1024...1 << 30) package var bufferBytes: Int = 8 << 20
        /// The seconds for which the client of such a connection may read nothing.
        ///
        /// Then the daemon closes the connection.
        @Bounds(1...86_400) package var stallSeconds = 30
        /// The most bytes that all connections and sessions of one user may hold together: unsent replies and frames,
        /// input that waits, ids of unanswered requests, remembered outcomes, the last value of each input, kept
        /// events.
        ///
        /// Above it the daemon closes the connection of that user that holds the most, and refuses calls with long
        /// params.
        @Bounds(1024...1 << 40) package var bytesPerUser = 268_435_456
        /// The most executions of an action at a time; waiting ones are counted.
        @Bounds(1...65_536) package var executions = 256
        /// The most bindings of a connection.
        @Bounds(1...65_536) package var bindings = 1024
        /// The most scenes that a session's coordinator holds.
        @Bounds(1...65_536) package var scenes = 64
        /// The most saved sessions of one user.
        ///
        /// The one with the oldest attach is erased first.
        @Bounds(1...1_048_576) package var savedSessionsPerUser = 1000
        /// The most bytes that are saved of a session.
        ///
        /// The daemon does not save a larger session; its former save stays.
        @Bounds(1...1 << 30) package var savedBytesPerSession = 1_048_576

        package init() {}
    }

    /// The configuration's `session`.
    @Schemable
    package struct Session: Sendable {
        /// The seconds for which a named session lives on after its last client has detached, unless a client gave
        /// another linger.
        @Bounds(0...31_536_000) package var lingerSeconds = 30
        /// The longest linger that a client can give.
        ///
        /// The daemon reduces a longer one to it.
        @Bounds(0...31_536_000) package var maximumLingerSeconds = 86400
        /// The longest time between a change of a session and its save.
        ///
        /// A power failure can lose the changes of this time.
        @Bounds(0...3_600_000) package var saveIntervalMilliseconds = 1000
        /// The days for which a saved session is kept after its last attach.
        @Bounds(0...36_500) package var keepDays = 30

        package init() {}
    }

    /// The configuration's `shutdown`.
    @Schemable
    package struct Shutdown: Sendable {
        /// The seconds that running actions have to end when the daemon stops.
        @Bounds(0...3600) package var graceSeconds = 5

        package init() {}
    }

    package var limits = Limits()
    /// The configuration's `access`.
    package var access = AccessPolicy()
    package var session = Session()
    package var shutdown = Shutdown()

    package init() {}
}
