/// A value that a class saves.
///
/// `@ViewModel` and `@SharedModel` generate one for each property that is saved. Authors do not create one.
public struct SavedContract: Sendable {
    package let name: String
    package let persistence: Persistence
    /// The names under which the value was saved before.
    package let formerNames: [String]
    /// The schema of the value, or nil if its type is not ``Schemable``.
    package let schema: Schema?

    /// Creates the contract of a value, whose type is that of the cell or the list.
    public init<Owner, Value>(
        _ name: String,
        in persistence: Persistence,
        formerly formerNames: [String] = [],
        _ cell: (Owner) -> Signal<Value>
    ) {
        self.name = name
        self.persistence = persistence
        self.formerNames = formerNames
        schema = (Value.self as? any Schemable.Type)?.schema
    }
}

/// A class whose instances save values under its name.
public protocol SavingValues: AnyObject, SendableMetatype {
    /// The values that `@ViewModel` or `@SharedModel` has found.
    static var savedValues: [SavedContract] { get }

    /// The names of the class under which values were saved before.
    static var formerNames: [String] { get }

    /// Changes of the values that earlier versions of the class have saved, in their order.
    ///
    /// Their number is the version of the class. Append one for each change that a name or a default value does not
    /// express, and change none that a user has run.
    static var migrations: [SavedMigration] { get }
}

extension SavingValues {
    /// No values, for a class without a macro.
    public static var savedValues: [SavedContract] { [] }
    /// No names.
    public static var formerNames: [String] { [] }
    /// No changes.
    public static var migrations: [SavedMigration] { [] }

    /// The owner of a shared model's values.
    ///
    /// No instance has a space in its id, and no ViewModel type in its name.
    package static var owner: String { "shared \(SchemaName.stable(Self.self))" }

    /// The owners of a shared model's values under its former names, in the module of the class unless they name one.
    package static var formerOwners: [String] {
        let enclosing = SchemaName.stable(Self.self).reversed().drop { $0 != "." }.reversed()
        return formerNames.map { "shared " + ($0.contains(".") ? "" : String(enclosing)) + $0 }
    }
}
