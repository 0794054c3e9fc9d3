public import ViewModelProtocol

/// The picture after a frame, and the changes of the frame.
public struct BindingUpdate: Equatable, Sendable {
    /// The picture after the frame.
    public var picture: Picture
    /// The changes and events of the frame.
    public var change: Picture.Change
    /// Whether the daemon sent the whole picture: for a new binding, and if it could not resume one.
    public var isFull: Bool
    /// The revision of the binding's params to which the picture belongs.
    var revision = 0
}
