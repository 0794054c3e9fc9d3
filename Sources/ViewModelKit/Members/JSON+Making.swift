extension JSON {
    /// Returns an integer.
    public static func integer(_ number: Int) -> JSON {
        JSON(unchecked: "\(number)")
    }

    /// Returns a string.
    public static func string(_ text: String) -> JSON {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return JSON(unchecked: quoted + "\"")
    }

    /// Returns an object of these members, in this order.
    ///
    /// Names must be unique.
    public static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
        JSON(unchecked: "{" + members.map { "\(string($0).text):\($1.text)" }.joined(separator: ",") + "}")
    }
}
