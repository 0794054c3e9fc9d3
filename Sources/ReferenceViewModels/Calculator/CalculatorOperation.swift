/// One row in the list of completed operations.
public struct CalculatorOperation: Codable, Equatable, Sendable, Identifiable {
    /// The row's id, which no other row of the same calculator has or had.
    public let id: Int

    /// The operator and the number (`+ 3`), or only the number at the start of a calculation (`12`).
    public let text: String

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - id: An id that no other row of the calculator has or had.
    ///   - text: The text of the row.
    public init(id: Int, text: String) {
        self.id = id
        self.text = text
    }
}
