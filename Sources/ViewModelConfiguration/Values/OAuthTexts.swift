/// A text that is not empty.
package enum SomeText: ConfigurableValue {
    package static let kind = ValueKind.text("a text") { !$0.isEmpty }
}

/// Scope tokens (RFC 6749, section 3.3).
package enum ScopeTokens: ConfigurableValue {
    package static let kind = ValueKind.text("scopes, separated by single spaces") { text in
        let tokens = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        return tokens.allSatisfy { token in
            !token.isEmpty && token.allSatisfy { 0x21...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }
        }
    }
}
