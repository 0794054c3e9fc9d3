import ViewModelKit

/// A server that has episodes.
public protocol PodcastServer: Sendable {
    /// Returns all episodes.
    func episodes() async throws(PodcastFailure) -> [Episode]

    /// Deletes the episodes with these ids.
    func delete(_ ids: [Int]) async throws(PodcastFailure)

    /// Returns a part of an episode's sound, from this byte on.
    func part(of id: Int, from start: Int) async throws(PodcastFailure) -> Part
}

/// A part of an episode's sound.
public struct Part: Sendable {
    /// The bytes of the part.
    public let bytes: [UInt8]
    /// The size of the whole sound in bytes.
    public let total: Int

    /// Creates a part.
    public init(bytes: [UInt8], total: Int) {
        self.bytes = bytes
        self.total = total
    }
}

/// Why the server or the folder for downloads did not do its work.
@Failure
public enum PodcastFailure {
    /// The server cannot be reached.
    @Retryable case unreachable
    /// The server has too much to do.
    @Retryable case busy
    /// The connection was cut off before the end of the reply.
    @Retryable case cutOff
    /// There is no such episode.
    case gone
    /// The server's reply makes no sense.
    case confused(status: Int)
    /// The sound cannot be written to the disk.
    case diskFault(message: String)
}
