import CoreMetrics
import ViewModelKit
import ViewModelProtocol

/// Frames: the changes that a client lacks, in one notification (protocol, section 7).
extension SessionCore {
    /// Sends the changes since the binding's last frame, if there are any.
    func sendFrame(to binding: Binding) {
        let instance = binding.instance
        let since = binding.sent
        let sequence = graph.sequence
        binding.sent = sequence
        let isPlain =
            binding.held.isEmpty && binding.heldLists.isEmpty && binding.windows.isEmpty && binding.usesPatches
            && binding.owedLists.isEmpty
        if isPlain, let cache = instance.frameCache, cache.sequence == sequence, cache.since == since,
            cache.shape == ObjectIdentifier(binding.shape)
        {
            binding.noteEvents()
            noteLost(cache.lost, for: binding.attachment, of: instance)
            return deliver(cache.line, to: binding.attachment)
        }
        var frame = JSONWriter(reserving: 160)
        frame.raw("{\"jsonrpc\":\"2.0\",\"method\":\"viewModel.changed\",\"params\":{\"id\":")
        frame.string(instance.id)
        frame.raw(",\"seq\":")
        frame.integer(sequence)
        let before = frame.bytes.count
        let lost = writeChanges(of: binding, since: since, to: &frame)
        guard frame.bytes.count > before else { return }
        frame.raw("}}\n")
        if isPlain, binding.owedLists.isEmpty, instance.bindings.count > 1 {
            instance.frameCache = FrameCache(
                sequence: sequence,
                shape: ObjectIdentifier(binding.shape),
                since: since,
                line: frame.bytes,
                lost: lost
            )
        }
        noteLost(lost, for: binding.attachment, of: instance)
        deliver(frame.bytes, to: binding.attachment)
    }

    /// Writes `values`, `patch`, `events` and `lost` of the changes after `since`.
    ///
    /// Writes no member without a change.
    ///
    /// - Parameters:
    ///   - binding: the binding.
    ///   - since: the step of the client's picture.
    ///   - isResumed: whether the client resumes, and may lack the last good text of a value that cannot be encoded.
    ///   - frame: the writer of the frame or reply.
    /// - Returns: The number of lost events.
    func writeChanges(
        of binding: Binding,
        since: Int,
        isResumed: Bool = false,
        to frame: inout JSONWriter
    ) -> Int {
        var changes = ChangeWriter(binding: binding, since: since)
        changes.collect(isResumed: isResumed)
        changes.write(to: &frame)
        return changes.lost
    }

    /// Writes `events` and `lost` of the unsent events after `since`.
    ///
    /// Writes no member without such an event.
    ///
    /// - Returns: The number of lost events.
    func writeEvents(of binding: Binding, since: Int, to frame: inout JSONWriter) -> Int {
        var changes = ChangeWriter(binding: binding, since: since)
        changes.addEvents()
        changes.write(to: &frame)
        return changes.lost
    }

    /// Counts and logs the events that a client has lost, if there are any.
    func noteLost(_ count: Int, for attachment: Attachment, of instance: Instance) {
        guard count > 0 else { return }
        host.counters.lostEvents.increment(by: count)
        attachment.peer.run { [id = instance.id] in $0.noteLost(count, of: id) }
    }

    private func deliver(_ line: [UInt8], to attachment: Attachment) {
        host.counters.frames.increment()
        attachment.frameSink.send(line)
    }
}

extension Binding {
    /// Records that the client has received all events.
    func noteEvents() {
        guard !toldEvents.isEmpty else { return }
        for index in toldEvents.keys {
            toldEvents[index] = instance.events.totals[index]
        }
    }
}

/// A collector of the changes that a client lacks.
private struct ChangeWriter {
    let binding: Binding
    let since: Int
    private var values = JSONWriter()
    private var patch = JSONWriter()
    private var events = JSONWriter()
    private(set) var lost = 0

    init(binding: Binding, since: Int) {
        self.binding = binding
        self.since = since
    }

    mutating func collect(isResumed: Bool) {
        let instance = binding.instance
        for index in binding.shape.outputs where instance.outputs[index].changedAt > since {
            switch instance.type.slots[index].kind {
            case .state:
                let text = instance.state(index) { failed($0, index) }
                // The client has the last good text of a value that cannot be encoded.
                if !isResumed, !instance.unencodable.isEmpty, instance.unencodable.contains(index) { continue }
                // The value has changed back to the one that the client has.
                if let held = binding.held[index], held == text { continue }
                addValue(index, text)
            case .list:
                if binding.owedLists.isEmpty || !binding.owedLists.contains(index) { add(list: index) }
            case .event:
                continue
            }
        }
        if !binding.owedLists.isEmpty {
            for index in binding.owedLists.sorted() { add(list: index) }
        }
        if !binding.toldEvents.isEmpty { addEvents() }
    }

    /// Adds the changes of a list.
    ///
    /// A list with a row that cannot be encoded is owed until it can be encoded.
    private mutating func add(list index: Int) {
        do {
            try addList(index)
            if !binding.owedLists.isEmpty { binding.owedLists.remove(index) }
        } catch {
            if binding.owedLists.insert(index).inserted { failed(error, index) }
        }
    }

    private func failed(_ error: any Error, _ index: Int) {
        let instance = binding.instance
        let name = instance.type.slots[index].name
        _ = binding.attachment.core.incident(error, in: "encoding \(instance.id).\(name)")
    }

    func write(to frame: inout JSONWriter) {
        if !values.bytes.isEmpty {
            frame.raw(",\"values\":{")
            frame.raw(values.bytes)
            frame.byte(UInt8(ascii: "}"))
        }
        if !patch.bytes.isEmpty {
            frame.raw(",\"patch\":[")
            frame.raw(patch.bytes)
            frame.byte(UInt8(ascii: "]"))
        }
        if !events.bytes.isEmpty {
            frame.raw(",\"events\":[")
            frame.raw(events.bytes)
            frame.byte(UInt8(ascii: "]"))
        }
        if lost > 0 {
            frame.raw(",\"lost\":")
            frame.integer(lost)
        }
    }

    private mutating func addValue(_ index: Int, _ text: [UInt8]) {
        if !values.bytes.isEmpty { values.byte(UInt8(ascii: ",")) }
        values.raw(binding.instance.type.slots[index].key)
        values.raw(text)
    }

    private mutating func addPatch(_ operations: ListOperations) {
        if !patch.bytes.isEmpty { patch.byte(UInt8(ascii: ",")) }
        patch.raw(operations.writer.bytes)
    }

    private mutating func addList(_ index: Int) throws {
        let instance = binding.instance
        guard let list = instance.outputs[index] as? AnyListOutput else { return }
        let name = instance.type.slots[index].name
        let isOwed = !binding.owedLists.isEmpty && binding.owedLists.contains(index)
        if let old = binding.windows[index] {
            let replaced = old.isUnknown || isOwed ? nil : list.replacedRows(since: since)
            let new =
                try replaced.map { try old.replacing($0, in: list) }
                ?? WindowState.read(list, through: old.window)
            binding.windows[index] = new
            var text = JSONWriter()
            new.write(to: &text)
            if binding.usesPatches, !isOwed, let operations = new.operations(from: old, output: name) {
                if operations.isEmpty { return }
                if operations.patchLength < text.bytes.count { return addPatch(operations) }
            }
            return addValue(index, text.bytes)
        }
        if isOwed { return addValue(index, try instance.list(index)) }
        let edits = try binding.heldLists[index].map { try list.edits(sinceSnapshot: $0) } ?? list.edits(since: since)
        if let edits {
            if edits.isEmpty { return }
            guard binding.usesPatches else { return addValue(index, try instance.list(index)) }
            var operations = ListOperations(path: "/\(name)")
            for edit in edits {
                operations.append(edit)
            }
            // A row has at least the 9 bytes of {"id":1} and a comma. This bound often saves the encoding of a long
            // list.
            if operations.patchLength < 2 + 9 * list.count { return addPatch(operations) }
            let text = try instance.list(index)
            if operations.patchLength < text.count { return addPatch(operations) }
            return addValue(index, text)
        }
        addValue(index, try instance.list(index))
    }

    mutating func addEvents() {
        let log = binding.instance.events
        var shown: [Int: Int] = [:]
        for entry in log.kept(after: since) where binding.toldEvents[entry.output] != nil {
            if !events.bytes.isEmpty { events.byte(UInt8(ascii: ",")) }
            events.raw("{\"output\":")
            events.string(binding.instance.type.slots[entry.output].name)
            events.raw(",\"value\":")
            events.raw(entry.text)
            events.byte(UInt8(ascii: "}"))
            shown[entry.output, default: 0] += 1
        }
        for (index, told) in binding.toldEvents {
            lost += log.totals[index] - told - shown[index, default: 0]
        }
        binding.noteEvents()
    }
}
