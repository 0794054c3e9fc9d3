import Digests
package import ViewModelProtocol

/// The hash by which programs recognise a contract (protocol, section 9).
package enum ContractHash {
    /// Returns the hash of the contract in a document of `rpc.discover`.
    ///
    /// It covers the document's members `components` and `x-viewModels`, as far as they are there, without the
    /// descriptions. A member of an object that is called `description` and is a string is a description.
    ///
    /// - Parameter document: the document.
    /// - Returns: the SHA-256 of the canonical JSON text, in lower-case hexadecimal digits.
    package static func of(document: JSONValue) -> String {
        var hashed: JSONObject = [:]
        for name in ["components", "x-viewModels"] { hashed[name] = document[name]?.withoutDescriptions }
        return SHA256.hash(JSONValue.object(hashed).canonical).hexadecimal
    }
}

extension JSONValue {
    /// The value without the members `description` that are strings.
    package var withoutDescriptions: JSONValue {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutDescriptions))
        case .object(let members):
            .object(
                members.filter { $0.key != "description" || $0.value.stringValue == nil }
                    .mapValues(\.withoutDescriptions)
            )
        default: self
        }
    }
}
