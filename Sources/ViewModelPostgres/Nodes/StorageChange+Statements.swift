import ViewModelStorage

/// The statements about the number of a user's changes, which the transaction that changes the data raises.
extension StorageChange {
    /// The statement that raises the number.
    ///
    /// Transactions that change the same data follow each other from here on.
    var raising: SQLStatement {
        let sql = """
            INSERT INTO change AS c (uid, topic, version) VALUES ($1, $2, 1)
            ON CONFLICT (uid, topic) DO UPDATE SET version = c.version + 1
            RETURNING uid, version AS change_version
            """
        return (sql, [.integer(uid), .text(topic.rawValue)])
    }

    /// Returns a statement that changes rows, and raises the numbers of the changes of their users if there are any rows.
    ///
    /// `change` returns `uid`, and is named `changed` in `further`, which begins with a comma. The rows are those of `change`,
    /// with `change_version`.
    static func raising(_ change: String, _ topic: Topic, also further: String = "") -> String {
        """
        WITH changed AS (\(change))\(further), raised AS (
            INSERT INTO change AS c (uid, topic, version) SELECT DISTINCT uid, '\(topic.rawValue)', 1 FROM changed
            ON CONFLICT (uid, topic) DO UPDATE SET version = c.version + 1 RETURNING c.uid, version
        )
        SELECT changed.*, raised.version AS change_version FROM changed JOIN raised ON raised.uid = changed.uid
        """
    }
}
