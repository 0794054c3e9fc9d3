import Foundation
import ViewModelKit

/// An episode of a podcast.
@Schemable
public struct Episode: Identifiable, Sendable {
    /// The number by which clients name it.
    public let id: Int
    /// The title.
    public let title: String
    /// The podcast to which it belongs.
    public let podcast: String
    /// The time at which it was published.
    public let published: Date
    /// The length in seconds.
    public let length: Int

    /// Creates an episode.
    public init(id: Int, title: String, podcast: String, published: Date, length: Int) {
        self.id = id
        self.title = title
        self.podcast = podcast
        self.published = published
        self.length = length
    }
}
