/// Checks of the types in a declaration, whose errors say what to write.
///
/// `@ViewModel`, `@SharedModel` and `@Failure` generate the calls, which the compiler reports at the member. They are not
/// called.
public enum MemberCheck {
    /// Checks that clients can send or get a type.
    public static func clientsSee<Value: Schemable>(_ type: Value.Type) {}

    /// Reports a ViewModel as a value.
    @available(*, unavailable, message: "a part that is a ViewModel is a child; write `@Child let`")
    public static func clientsSee<Value: ViewModel>(_ type: Value.Type) {}

    /// Reports a type without `@Schemable`.
    @_disfavoredOverload
    @available(*, unavailable, message: "clients see this type; write `@Schemable` before its declaration")
    public static func clientsSee<Value>(_ type: Value.Type) {}

    /// Reports a type of the standard library whose values are texts.
    @available(*, unavailable, message: "clients see a text; write `String`")
    public static func clientsSee(_ type: Character.Type) {}

    /// Reports a type of the standard library whose values are texts.
    @available(*, unavailable, message: "clients see a text; write `String`")
    public static func clientsSee(_ type: Substring.Type) {}

    /// Accepts a value whose changes clients follow.
    @_disfavoredOverload
    public static func clientsFollow<Value>(_ type: Value.Type) {}

    /// Reports an array of rows, all of which clients get at each change.
    @available(
        *,
        deprecated,
        message: "each change sends all rows; write `@Rows var x: [Row] { … }`, or `@Output var x: Rows<Row> = []`"
    )
    public static func clientsFollow<Value: Schemable & RandomAccessCollection>(_ type: Value.Type)
    where Value.Element: Identifiable {}

    /// Checks that a class may make an object for itself.
    public static func isOwn<Value: ~Copyable>(_ value: borrowing Value) {}

    /// Reports a model that the ViewModels of a session share.
    @available(*, deprecated, message: "others do not share this model; write `let x: Model` to get the session's")
    public static func isOwn<Value: SharedModel>(_ value: Value) {}

    /// Checks that a value of a type can be saved.
    public static func isSaved<Value: Codable & Equatable>(_ type: Value.Type) {}

    /// Reports a type that is not `Codable` and `Equatable`.
    @_disfavoredOverload
    @available(*, unavailable, message: "the value is saved; write `@Schemable` before the declaration of its type")
    public static func isSaved<Value>(_ type: Value.Type) {}

    /// Checks that an action can declare the failures of a type.
    public static func declaresFailures<Failure: DeclaredFailure>(_ type: Failure.Type) {}

    /// Reports an error type without `@Failure`.
    @_disfavoredOverload
    @available(*, unavailable, message: "clients see this error; write `@Failure` before the enum, or a plain `throws`")
    public static func declaresFailures<Failure>(_ type: Failure.Type) {}
}
