/// One row in the list of what was calculated.
public struct CalculatorOperation: Codable, Equatable, Sendable, Identifiable {
    /// The row's identity: never given to another row of the same calculator.
    public let id: Int

    /// The operator and the number (`+ 3`), or the number alone where a calculation begins (`12`).
    public let text: String

    /// Creates a row.
    ///
    /// - Parameters:
    ///   - id: An identity that no other row of the calculator has or had.
    ///   - text: What the row shows.
    public init(id: Int, text: String) {
        self.id = id
        self.text = text
    }
}
