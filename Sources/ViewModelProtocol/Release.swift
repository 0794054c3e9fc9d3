/// The release that this is part of; daemon and command line tell the same one.
public enum Release {
    /// The release's version.
    public static let version = "1.0.0"
    /// The version of the protocol that it speaks.
    public static let `protocol` = 1
}
