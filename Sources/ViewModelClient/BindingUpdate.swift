public import ViewModelProtocol

/// A picture as it is after a frame, and what the frame changed in it.
public struct BindingUpdate: Equatable, Sendable {
    /// The picture after the frame.
    public var picture: Picture
    /// What the frame changed, and the events that it told.
    public var change: Picture.Change
    /// Whether the daemon sent the whole picture: the first time, and where a binding could not be resumed.
    public var isFull: Bool
}
