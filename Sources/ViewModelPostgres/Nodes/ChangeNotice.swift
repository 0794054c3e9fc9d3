/// A change of a user's data.
package struct ChangeNotice: Hashable, Sendable {
    /// The kind of the data that changed; later versions may add topics.
    package struct Topic: RawRepresentable, Hashable, Sendable {
        /// The topic's name in the database.
        package let rawValue: String

        /// Creates a topic from its name in the database.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The sign-in of the user, and the cached page.
        package static let account = Topic(rawValue: "account")
        /// The messages to be delivered.
        package static let outbox = Topic(rawValue: "outbox")
        /// The lasting values.
        package static let values = Topic(rawValue: "values")
    }

    /// What changed: a user's data of one kind.
    package struct Subject: Hashable, Sendable {
        /// The uid of the user; -1 for the daemon itself.
        package let uid: Int64
        /// The kind of the data.
        package let topic: Topic

        /// Creates a subject.
        package init(uid: Int64, topic: Topic) {
            self.uid = uid
            self.topic = topic
        }
    }

    /// What changed.
    package let subject: Subject
    /// The number of the change.
    package let version: Int64
}

extension ChangeNotice {
    /// The statement that raises the number of a user's changes in the transaction that changes the data.
    ///
    /// Transactions that change the same data follow each other from here on.
    static func raising(_ subject: Subject) -> SQLStatement {
        let sql = """
            INSERT INTO change AS c (uid, topic, version) VALUES ($1, $2, 1)
            ON CONFLICT (uid, topic) DO UPDATE SET version = c.version + 1
            RETURNING uid, version AS change_version
            """
        return (sql, [.integer(subject.uid), .text(subject.topic.rawValue)])
    }

    /// Returns a statement that changes rows, and raises the numbers of the changes of their users if there are any rows.
    ///
    /// Its rows are those of `change`, with `change_version`.
    ///
    /// - Parameters:
    ///   - change: the statement, which returns `uid`, as the query named `changed`.
    ///   - topic: the kind of the data.
    ///   - further: further queries that change rows, with commas before them.
    /// - Returns: the statement.
    static func raising(_ change: String, _ topic: Topic, also further: String = "") -> String {
        """
        WITH changed AS (\(change))\(further), raised AS (
            INSERT INTO change AS c (uid, topic, version) SELECT DISTINCT uid, '\(topic.rawValue)', 1 FROM changed
            ON CONFLICT (uid, topic) DO UPDATE SET version = c.version + 1 RETURNING c.uid, version
        )
        SELECT changed.*, raised.version AS change_version FROM changed JOIN raised ON raised.uid = changed.uid
        """
    }

    /// Returns the changes that rows of such statements report.
    static func notices(_ rows: [SQLRow], _ topic: Topic) throws(PostgresError) -> [ChangeNotice] {
        var versions: [Int64: Int64] = [:]
        for row in rows { versions[try row.integer("uid")] = try row.integer("change_version") }
        return versions.map { ChangeNotice(subject: Subject(uid: $0.key, topic: topic), version: $0.value) }
    }
}
