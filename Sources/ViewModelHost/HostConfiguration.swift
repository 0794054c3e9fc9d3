/// The limits and times of a host, named after the configuration's keys.
package struct HostConfiguration: Equatable, Sendable {
    /// The configuration's `limits`.
    package struct Limits: Equatable, Sendable {
        package var messageBytes = 1 << 20
        package var batch = 100
        package var inFlight = 256
        package var events = 1024
        package var connections = 16384
        package var connectionsPerUser = 4096
        package var sessionsPerUser = 4096
        package var instancesPerSession = 1024
        package var bufferBytes = 8 << 20
        package var stallSeconds = 30
        package var bytesPerUser = 268_435_456
        package var executions = 256
        package var scenes = 64
        package var savedSessionsPerUser = 1000
        package var savedBytesPerSession = 1_048_576
        package var outboxItemsPerUser = 10_000
        package var outboxBytesPerUser = 67_108_864
    }

    package var limits = Limits()
    /// The configuration's `access`.
    package var access = AccessPolicy()
    /// The configuration's `session.lingerSeconds`.
    package var lingerSeconds = 30
    /// The configuration's `session.maximumLingerSeconds`.
    package var maximumLingerSeconds = 86400
    /// The configuration's `session.saveIntervalMilliseconds`.
    package var saveIntervalMilliseconds = 1000
    /// The configuration's `session.keepDays`.
    package var keepDays = 30
    /// The configuration's `shutdown.graceSeconds`.
    package var graceSeconds = 5

    package init() {}
}
