/// The release that this module belongs to.
///
/// The daemon and the command line report the same release.
public enum Release {
    /// The release's version.
    public static let version = "1.0.0"
    /// The protocol version of the release.
    public static let `protocol` = 1
}
