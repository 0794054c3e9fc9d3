/// The release that this module belongs to.
///
/// The daemon and the command line report the same release.
package enum Release {
    /// The release's version.
    package static let version = "1.0.0"
    /// The protocol version of the release.
    package static let `protocol` = 1
}
