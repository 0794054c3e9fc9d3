extension String {
    /// Whether the text can follow `Bearer` in a header.
    ///
    /// It must be non-empty visible ASCII (RFC 6750, section 2.1; RFC 9110, section 5.5).
    var canBeBearer: Bool {
        !isEmpty && utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}
