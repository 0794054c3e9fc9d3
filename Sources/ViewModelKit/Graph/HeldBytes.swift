/// The rule for sizes that count towards `limits.bytesPerUser`.
package enum HeldBytes {
    /// Returns the bytes that a text of this size counts.
    ///
    /// A text up to 1,024 bytes counts as 0, so that short ones need no bookkeeping.
    package static func counted(_ size: Int) -> Int { size > 1024 ? size : 0 }
}
