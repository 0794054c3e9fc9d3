import ViewModelStorage

/// A change that was committed.
package struct ChangeNotice: Hashable, Sendable {
    let subject: StorageChange
    let version: Int64
}

extension ChangeNotice {
    /// The statement that raises the number of a user's changes in the transaction that changes the data.
    ///
    /// Transactions that change the same data follow each other from here on.
    static func raising(_ subject: StorageChange) -> SQLStatement {
        let sql = """
            INSERT INTO change AS c (uid, topic, version) VALUES ($1, $2, 1)
            ON CONFLICT (uid, topic) DO UPDATE SET version = c.version + 1
            RETURNING uid, version AS change_version
            """
        return (sql, [.integer(subject.uid), .text(subject.topic.rawValue)])
    }

    /// Returns a statement that changes rows, and raises the numbers of the changes of their users if there are any rows.
    ///
    /// `change` returns `uid`, and is named `changed` in `further`, which begins with a comma. The rows are those of `change`,
    /// with `change_version`.
    static func raising(_ change: String, _ topic: StorageChange.Topic, also further: String = "") -> String {
        """
        WITH changed AS (\(change))\(further), raised AS (
            INSERT INTO change AS c (uid, topic, version) SELECT DISTINCT uid, '\(topic.rawValue)', 1 FROM changed
            ON CONFLICT (uid, topic) DO UPDATE SET version = c.version + 1 RETURNING c.uid, version
        )
        SELECT changed.*, raised.version AS change_version FROM changed JOIN raised ON raised.uid = changed.uid
        """
    }

    /// Returns the changes that rows of such statements report.
    static func notices(_ rows: [SQLRow], _ topic: StorageChange.Topic) throws(PostgresError) -> [ChangeNotice] {
        var versions: [Int64: Int64] = [:]
        for row in rows { versions[try row.integer("uid")] = try row.integer("change_version") }
        return versions.map { ChangeNotice(subject: StorageChange(topic, of: $0.key), version: $0.value) }
    }
}
