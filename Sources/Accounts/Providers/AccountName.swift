/// The name of an account in a provider's answer; a blank one fails to decode.
struct AccountName: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        text = try container.decode(String.self)
        guard !text.isBlank else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The name of an account is blank")
        }
    }
}

extension String {
    /// Whether the text is empty or only white space.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
