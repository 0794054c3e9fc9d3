/// The changes of the second version.
///
/// Calls with a retry key are removed, of whose params a digest without a key was saved.
extension Schema {
    static let version2 = ["DELETE FROM session_value WHERE starts_with(name, E'\\x01key ')"]
}
