import ViewModelKit
import ViewModelProtocol

/// The changes in a frame or in the reply to `viewModel.bind`, as JSON text.
struct FrameContent {
    /// The text of `splices`, without braces; nil without one, because most frames have none.
    private var splices: JSONWriter?
    /// The text of `values`, without braces.
    private var values = JSONWriter()
    /// The text of `patch`, without brackets.
    private var patch = JSONWriter()
    /// The text of `events`, without brackets.
    private var events = JSONWriter()
    /// The number of lost events.
    var lost = 0

    /// Whether a value changed.
    var hasValues: Bool { !values.bytes.isEmpty }

    var isEmpty: Bool {
        !hasValues && splices == nil && patch.bytes.isEmpty && events.bytes.isEmpty && lost == 0
    }

    mutating func add(_ text: [UInt8], as slot: HostedType.OutputSlot) {
        if hasValues { values.byte(UInt8(ascii: ",")) }
        values.raw(slot.key)
        values.raw(text)
    }

    /// Adds the edits of a list as JSON Patch (RFC 6902), or the value if its text is not longer.
    ///
    /// Without edits and without `numbers`, the new `count` or `offset` of a window, the value has not changed. The text is
    /// not evaluated if `minimumLength` decides.
    mutating func add(
        _ edits: [ListEdit<[UInt8]>],
        at path: String,
        numbers: [(name: String, value: Int)] = [],
        ifShorterThan text: @autoclosure () throws -> [UInt8],
        ofAtLeast minimumLength: Int,
        as slot: HostedType.OutputSlot
    ) rethrows {
        var operations = JSONWriter()
        for edit in edits {
            if !operations.bytes.isEmpty { operations.byte(UInt8(ascii: ",")) }
            operations.append(edit, at: path)
        }
        for number in numbers {
            if !operations.bytes.isEmpty { operations.byte(UInt8(ascii: ",")) }
            operations.raw("{\"op\":\"replace\",\"path\":")
            operations.string("/\(slot.name)/\(number.name)")
            operations.raw(",\"value\":")
            operations.integer(number.value)
            operations.byte(UInt8(ascii: "}"))
        }
        if operations.bytes.isEmpty { return }
        // With the brackets of a patch.
        let length = operations.bytes.count + 2
        if length >= minimumLength {
            let text = try text()
            if length >= text.count { return add(text, as: slot) }
        }
        if !patch.bytes.isEmpty { patch.byte(UInt8(ascii: ",")) }
        patch.raw(operations.bytes)
    }

    /// Adds where rows of a list came and went.
    mutating func add(_ list: ListSplices, as slot: HostedType.OutputSlot) {
        guard !list.splices.isEmpty else { return }
        var writer = splices ?? JSONWriter()
        if !writer.bytes.isEmpty { writer.byte(UInt8(ascii: ",")) }
        writer.raw(slot.key)
        for (index, splice) in list.splices.enumerated() {
            writer.raw(index == 0 ? "[[" : ",[")
            writer.integer(splice.at)
            writer.byte(UInt8(ascii: ","))
            writer.integer(splice.removed)
            writer.byte(UInt8(ascii: ","))
            writer.integer(splice.inserted)
            writer.byte(UInt8(ascii: "]"))
        }
        writer.byte(UInt8(ascii: "]"))
        splices = writer
    }

    mutating func add(event text: [UInt8], of slot: HostedType.OutputSlot) {
        if !events.bytes.isEmpty { events.byte(UInt8(ascii: ",")) }
        events.raw("{\"output\":")
        events.string(slot.name)
        events.raw(",\"value\":")
        events.raw(text)
        events.byte(UInt8(ascii: "}"))
    }

    /// Writes `splices`, `values`, `patch`, `events` and `lost`, each after a comma and only if it has a change.
    func write(to writer: inout JSONWriter) {
        func write(_ opening: StaticString, _ part: JSONWriter, _ closing: UInt8, to writer: inout JSONWriter) {
            guard !part.bytes.isEmpty else { return }
            writer.raw(opening)
            writer.raw(part.bytes)
            writer.byte(closing)
        }
        if let splices { write(",\"splices\":{", splices, UInt8(ascii: "}"), to: &writer) }
        write(",\"values\":{", values, UInt8(ascii: "}"), to: &writer)
        write(",\"patch\":[", patch, UInt8(ascii: "]"), to: &writer)
        write(",\"events\":[", events, UInt8(ascii: "]"), to: &writer)
        if lost > 0 {
            writer.raw(",\"lost\":")
            writer.integer(lost)
        }
    }
}

extension JSONWriter {
    /// Appends the operation for an edit of the list at a JSON Pointer.
    fileprivate mutating func append(_ edit: ListEdit<[UInt8]>, at path: String) {
        let (operation, index, value): (StaticString, Int, [UInt8]?) =
            switch edit {
            case .insert(let text, let index): ("add", index, text)
            case .replace(let text, let index): ("replace", index, text)
            case .remove(let index): ("remove", index, nil)
            case .move(_, let to): ("move", to, nil)
            }
        raw("{\"op\":\"")
        raw(operation)
        raw("\",\"path\":\"")
        pointer(path, index)
        if case .move(let from, _) = edit {
            raw("\",\"from\":\"")
            pointer(path, from)
        }
        guard let value else { return raw("\"}") }
        raw("\",\"value\":")
        raw(value)
        byte(UInt8(ascii: "}"))
    }

    /// Appends a JSON Pointer to a row.
    ///
    /// Output names contain no character that a JSON Pointer escapes.
    private mutating func pointer(_ path: String, _ index: Int) {
        raw(Array(path.utf8))
        byte(UInt8(ascii: "/"))
        integer(index)
    }
}
