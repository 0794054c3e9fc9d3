import ViewModelKit
import ViewModelProtocol

/// The operations of a JSON Patch (RFC 6902) for one list, as JSON text without the enclosing brackets.
struct ListOperations {
    private let path: String
    private(set) var writer = JSONWriter()

    init(path: String) {
        self.path = path
    }

    var isEmpty: Bool { writer.bytes.isEmpty }
    /// The length of the patch in bytes, brackets included.
    var patchLength: Int { writer.bytes.count + 2 }

    mutating func append(_ edit: ListEdit<[UInt8]>) {
        switch edit {
        case .insert(let text, let index):
            begin("add", at: index)
            value(text)
        case .replace(let text, let index):
            begin("replace", at: index)
            value(text)
        case .remove(let index):
            begin("remove", at: index)
            writer.raw("\"}")
        case .move(let from, let to):
            begin("move", at: to)
            writer.raw("\",\"from\":\"")
            pointer(from)
            writer.raw("\"}")
        }
    }

    mutating func replace(path: String, with number: Int) {
        separate()
        writer.raw("{\"op\":\"replace\",\"path\":")
        writer.string(path)
        writer.raw(",\"value\":")
        writer.integer(number)
        writer.byte(UInt8(ascii: "}"))
    }

    private mutating func begin(_ operation: StaticString, at index: Int) {
        separate()
        writer.raw("{\"op\":\"")
        writer.raw(operation)
        writer.raw("\",\"path\":\"")
        pointer(index)
    }

    private mutating func value(_ text: [UInt8]) {
        writer.raw("\",\"value\":")
        writer.raw(text)
        writer.byte(UInt8(ascii: "}"))
    }

    /// Appends a JSON Pointer to a row.
    ///
    /// Output names contain no character that a JSON Pointer escapes.
    private mutating func pointer(_ index: Int) {
        writer.raw(Array(path.utf8))
        writer.byte(UInt8(ascii: "/"))
        writer.integer(index)
    }

    private mutating func separate() {
        if !isEmpty { writer.byte(UInt8(ascii: ",")) }
    }
}
