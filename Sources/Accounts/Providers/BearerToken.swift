extension String {
    /// Whether the text can stand behind `Bearer` in a header: visible ASCII, and some of it (RFC 6750, section 2.1; RFC 9110,
    /// section 5.5).
    var canBeBearer: Bool {
        !isEmpty && utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}
