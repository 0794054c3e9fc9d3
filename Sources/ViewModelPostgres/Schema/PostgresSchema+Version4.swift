/// The changes of the fourth version.
///
/// - People without a Unix account have numbers, by the SHA-256 of their subjects.
extension PostgresSchema {
    static let version4 = [
        """
        CREATE TABLE person (
            uid bigint GENERATED ALWAYS AS IDENTITY (MINVALUE 2147483648 MAXVALUE 4294967294) PRIMARY KEY,
            subject bytea NOT NULL UNIQUE
        )
        """
    ]
}
