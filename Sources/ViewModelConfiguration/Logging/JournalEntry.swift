/// A record as journald's own protocol has it: a datagram of fields.
struct JournalEntry {
    let bytes: [UInt8]

    /// Writes the record down: message, priority and identifier, and each fact as a field with its name in upper case.
    init(_ record: LogRecord, identifier: String = "viewmodeld") {
        var bytes: [UInt8] = []
        Self.append("MESSAGE", record.summary, to: &bytes)
        Self.append("PRIORITY", "\(record.priority)", to: &bytes)
        Self.append("SYSLOG_IDENTIFIER", identifier, to: &bytes)
        for (name, value) in record.fields {
            Self.append(Self.fieldName(name), LogRecord.text(value), to: &bytes)
        }
        self.bytes = bytes
    }

    /// A name that journald takes: letters, digits and `_`, beginning with a letter, at most 64.
    private static func fieldName(_ name: String) -> String {
        let safe = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let text = String(safe.prefix(62))
        // The journal's own fields are nobody else's.
        let isTaken = ["MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER"].contains(text)
        return isTaken || text.first?.isLetter != true ? "F_" + text : text
    }

    /// `NAME=value` and a line feed; a value with line feeds as the name, its length in 64 bits and its bytes.
    private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        bytes += name.utf8
        if value.utf8.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.utf8.count).littleEndian) { bytes += $0 }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value.utf8
        bytes.append(UInt8(ascii: "\n"))
    }
}
