import ViewModelProtocol

/// The failures that the actions of a ViewModel type declare, typed.
///
/// `viewmodelctl generate swift` writes an enum that conforms to it for each type with such actions:
///
/// ```swift
/// do { try await sendList.add() } catch let error as ClientError {
///     switch SendListFailure(error) {
///     case .outboxFull(let details): show(details.limit)
///     case .other, nil: throw error
///     }
/// }
/// ```
public protocol DeclaredFailure: Equatable, Sendable {
    /// Creates a typed failure. A failure that is not declared is a case `other`.
    init(_ failure: RemoteFailure)
}

extension DeclaredFailure {
    /// Creates a typed failure; returns nil unless the error is a ``ClientError`` of an action that ran and failed.
    public init?(_ error: any Error) {
        guard let failure = (error as? ClientError)?.failure else { return nil }
        self.init(failure)
    }
}

extension RemoteFailure {
    /// Returns the details as a type, or nil if they have another form.
    public func decodedDetails<Details: Decodable>(as type: Details.Type = Details.self) -> Details? {
        try? IncomingLine.decode(type, details.text)
    }
}
