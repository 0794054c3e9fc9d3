/// The name of an account as a provider writes it; one that shows nothing is a bad answer.
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
    /// Whether it has nothing but white space.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
