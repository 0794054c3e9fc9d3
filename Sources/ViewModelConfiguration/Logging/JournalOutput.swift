import Glibc
import Logging
import UnixIO

/// An output that sends records to journald with their fields.
///
/// If that fails, it writes a line with the priority instead.
final class JournalOutput: Sendable {
    private let path: String
    private let descriptor: Int32
    private let identifier: String
    private let fallback: LogOutput

    init(
        path: String = "/run/systemd/journal/socket",
        identifier: String,
        fallback: @escaping LogOutput = { StandardError.write($0.priorityLine, mayBlock: $1) }
    ) {
        self.path = path
        self.identifier = identifier
        self.fallback = fallback
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        descriptor = socket(AF_UNIX, kind, 0)
    }

    deinit {
        close(descriptor)
    }

    /// Writes a record; returns whether it is written.
    @discardableResult
    func write(_ record: LogRecord, mayBlock: Bool) -> Bool {
        // journald finds the unit of a datagram by its process. After a critical record the process ends, and
        // `journalctl --unit` would not show the record.
        let isSent =
            record.level != .critical
            && send(record.journalEntry(identifier: identifier), mayBlock ? 0 : Int32(MSG_DONTWAIT))
        return isSent || mayBlock && fallback(record, true)
    }

    /// Sends a datagram.
    ///
    /// The path is resolved for each one, because journald may have restarted.
    private func send(_ bytes: [UInt8], _ flags: Int32) -> Bool {
        let flags = flags | Int32(MSG_NOSIGNAL)
        guard let address = try? LocalAddress(path: path) else { return false }
        return address.withPointer { sendto(descriptor, bytes, bytes.count, flags, $0, $1) } == bytes.count
    }
}

extension LogRecord {
    /// Returns the record in journald's native protocol: a datagram of fields.
    ///
    /// They are the message, the priority, the identifier, and each item of the metadata with an upper-case name.
    func journalEntry(identifier: String) -> [UInt8] {
        var bytes: [UInt8] = []
        Self.append("MESSAGE", summary, to: &bytes)
        Self.append("PRIORITY", "\(priority)", to: &bytes)
        Self.append("SYSLOG_IDENTIFIER", identifier, to: &bytes)
        for (name, value) in fields { Self.append(Self.fieldName(name), Self.text(value), to: &bytes) }
        return bytes
    }

    /// Returns a name that journald accepts: letters, digits and `_`, with a letter first, at most 64 characters.
    private static func fieldName(_ name: String) -> String {
        let safe = name.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        let text = String(safe.prefix(62))
        // An item must not overwrite a field of the record itself.
        let isTaken = ["MESSAGE", "PRIORITY", "SYSLOG_IDENTIFIER"].contains(text)
        return isTaken || text.first?.isLetter != true ? "F_" + text : text
    }

    /// Appends `NAME=value` and a line feed.
    ///
    /// A value with line feeds is `NAME`, a line feed, its length in 64 bits and its bytes.
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
