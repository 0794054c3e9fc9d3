import GRDB

extension Migrations {
    /// Adds a count of each user's unsent items, so that an addition reads one row, however many items there are.
    static func outboxTotal(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE outboxTotal (
                    uid INTEGER PRIMARY KEY,
                    items INTEGER NOT NULL,
                    bytes INTEGER NOT NULL
                ) STRICT;
                INSERT INTO outboxTotal
                    SELECT uid, count(*), sum(length(text)) FROM outbox WHERE status <> 'sent' GROUP BY uid;
                CREATE TRIGGER outboxGrows AFTER INSERT ON outbox WHEN NEW.status <> 'sent' BEGIN
                    INSERT INTO outboxTotal VALUES (NEW.uid, 1, length(NEW.text))
                    ON CONFLICT (uid) DO UPDATE SET items = items + 1, bytes = bytes + excluded.bytes;
                END;
                CREATE TRIGGER outboxShrinks AFTER DELETE ON outbox WHEN OLD.status <> 'sent' BEGIN
                    UPDATE outboxTotal SET items = items - 1, bytes = bytes - length(OLD.text) WHERE uid = OLD.uid;
                END;
                CREATE TRIGGER outboxSends AFTER UPDATE OF status ON outbox
                WHEN OLD.status <> 'sent' AND NEW.status = 'sent' BEGIN
                    UPDATE outboxTotal SET items = items - 1, bytes = bytes - length(NEW.text) WHERE uid = NEW.uid;
                END;

                """
        )
    }
}
