import CoreMetrics
import Logging
import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// Frames: the changes that a client lacks, in one notification (protocol, section 7).
extension Binding {
    /// Sends the changes since the last frame, if there are any.
    func sendFrame() {
        let since = sent
        let sequence = attachment.core.graph.sequence
        let isShareable = isShareable
        if isShareable, let cache = instance.frameCache, cache.sequence == sequence, cache.since == since,
            cache.selection == selection
        {
            sent = sequence
            markEventsSent()
            report(lost: cache.lost)
            return deliver(cache.line)
        }
        let content = changes(since: since)
        // The changes are encoded. Only now the client counts as informed of them.
        sent = sequence
        guard !content.isEmpty else { return }
        var frame = JSONWriter(reserving: 160)
        frame.raw("{\"jsonrpc\":\"2.0\",\"method\":\"viewModel.changed\",\"params\":{\"id\":")
        frame.string(instance.id)
        writeTag(to: &frame)
        frame.raw(",\"seq\":")
        frame.integer(sequence)
        content.write(to: &frame)
        frame.raw("}}\n")
        if isShareable, owedLists.isEmpty, instance.bindings.count > 1 {
            instance.frameCache = FrameCache(
                sequence: sequence,
                selection: selection,
                since: since,
                line: frame.bytes,
                lost: content.lost
            )
        }
        report(lost: content.lost)
        deliver(frame.bytes)
    }

    /// Writes the tag as a member after another one, if there is one.
    func writeTag(to writer: inout JSONWriter) {
        guard let tag else { return }
        writer.raw(",\"tag\":")
        writer.string(tag)
    }

    /// Whether the next frame depends only on the outputs and on `sent`, so that bindings in the same position share it.
    private var isShareable: Bool {
        tag == nil && heldTexts.isEmpty && heldLists.isEmpty && windows.isEmpty && usesPatches && !usesSplices
            && owedLists.isEmpty
    }

    private func deliver(_ line: [UInt8]) {
        attachment.core.host.counters.frames.increment()
        attachment.send(line)
    }

    /// Counts and logs the events that the client has lost, if there are any.
    func report(lost count: Int) {
        guard count > 0 else { return }
        attachment.core.host.counters.lostEvents.increment(by: count)
        attachment.peer.run { [id = instance.id] in
            $0.log(.lostEvents) { ["lost": "\(count)", "instance": "\(id)"] }
        }
    }

    // MARK: Changes

    /// Encodes the changes after `since`, the step of the client's picture.
    ///
    /// The caller must send them. A client that resumes may lack the last good text of a value that cannot be encoded.
    func changes(since: Int, isResumed: Bool = false) -> FrameContent {
        var content = FrameContent()
        var hasEvents = false
        for index in selection where instance.outputs[index].changedAt > since {
            switch instance.type.slots[index].kind {
            case .state:
                let text = instance.state(index) { reportUnencodable(index, $0) }
                // The client has the last good text of a value that cannot be encoded.
                if !isResumed, !instance.unencodable.isEmpty, instance.unencodable.contains(index) { continue }
                // The value has changed back to the one that the client has.
                if let held = heldTexts[index], held == text { continue }
                content.add(text, as: instance.type.slots[index])
            case .list:
                if owedLists.isEmpty || !owedLists.contains(index) { add(list: index, since: since, to: &content) }
            case .event:
                hasEvents = true
            }
        }
        if !owedLists.isEmpty {
            for index in owedLists.sorted() { add(list: index, since: since, to: &content) }
        }
        if hasEvents { addEvents(since: since, of: sentEvents, to: &content) }
        return content
    }

    private func reportUnencodable(_ index: Int, _ error: any Error) {
        _ = attachment.core.incident(error, in: "encoding \(instance.id).\(instance.type.slots[index].name)")
    }

    // MARK: Lists

    /// Adds the changes of a list.
    ///
    /// A list with a row that cannot be encoded is sent when it can be encoded.
    private func add(list index: Int, since: Int, to content: inout FrameContent) {
        do {
            try encode(list: index, since: since, to: &content)
            if !owedLists.isEmpty { owedLists.remove(index) }
        } catch {
            if owedLists.insert(index).inserted { reportUnencodable(index, error) }
        }
    }

    /// Adds the edits of a list, or its value if that is shorter or if the edits are not known.
    private func encode(list index: Int, since: Int, to content: inout FrameContent) throws {
        guard let list = instance.outputs[index].list else { return }
        let isOwed = !owedLists.isEmpty && owedLists.contains(index)
        let splices = isOwed || !followsRows(of: index) ? nil : list.splices(since: since)
        let former = rowCounts[index] ?? list.count - (splices?.growth ?? 0)
        // Before the rows, which may not be encodable.
        if usesSplices { rowCounts[index] = former }
        try encode(list, index, since, isOwed, splices, to: &content)
        guard usesSplices else { return }
        content.add(Self.limited(splices, from: former, to: list.count), as: instance.type.slots[index])
        rowCounts[index] = list.count
    }

    /// Whether the binding follows the rows of a list: it sends splices, or the list's window moves with them.
    func followsRows(of index: Int) -> Bool { usesSplices || windows[index]?.anchor == true }

    /// The most splices of a list in a frame.
    private static var maximumSplices: Int { 64 }

    /// Returns the splices as a client gets them: one of the whole list if they are not known or too many.
    private static func limited(_ splices: ListSplices?, from former: Int, to present: Int) -> ListSplices {
        guard let splices, splices.splices.count <= maximumSplices else {
            return ListSplices(replacing: former, with: present)
        }
        return splices
    }

    /// Adds the splices that the replaced binding has not sent.
    private func addUnsentSplices(of old: Binding, to content: inout FrameContent) {
        guard usesSplices, old.usesSplices else { return }
        for index in selection {
            guard let list = instance.outputs[index].list, let former = old.rowCounts[index] else { continue }
            let isOwed = owedLists.contains(index) || old.owedLists.contains(index)
            guard isOwed || instance.outputs[index].changedAt > old.sent else { continue }
            let present = owedLists.contains(index) ? 0 : list.count
            let splices = isOwed ? nil : list.splices(since: old.sent)
            content.add(Self.limited(splices, from: former, to: present), as: instance.type.slots[index])
        }
    }

    /// Returns the window that a client sees now: an anchored one has moved with its first row.
    private func moved(_ window: Window, of index: Int, in list: any ListSource, _ splices: ListSplices?) -> Window {
        guard window.anchor == true else { return window }
        let shown = windowContents[index]
        let offset = shown?.window.offset ?? window.offset
        let next =
            splices.map { $0.index(of: offset, in: list.count - $0.growth) } ?? shown?.firstIndex(in: list) ?? offset
        let moved = Window(offset: next, limit: window.limit, anchor: true)
        if next != offset, let graph = attachment.core.graph {
            // The ViewModel learns of it in a step of its own.
            graph.afterCommit { [self] in
                if !isEnded { graph.step { list.setWindow(moved.range, of: holder) } }
            }
        }
        return moved
    }

    private func encode(
        _ list: any ListSource,
        _ index: Int,
        _ since: Int,
        _ isOwed: Bool,
        _ splices: ListSplices?,
        to content: inout FrameContent
    ) throws {
        let slot = instance.type.slots[index]
        if let window = windows[index] {
            let old = isOwed ? nil : windowContents[index]
            let window = moved(window, of: index, in: list, splices)
            let new = try WindowContent(of: list, in: window, after: old, since: since)
            windowContents[index] = new
            if let old, new.isSame(as: old) { return }
            guard usesPatches, let old, let edits = new.edits(from: old) else {
                return content.add(new.text, as: slot)
            }
            var numbers: [(name: String, value: Int)] = []
            if new.count != old.count { numbers.append(("count", new.count)) }
            if new.window.offset != old.window.offset { numbers.append(("offset", new.window.offset)) }
            content.add(
                edits,
                at: "/\(slot.name)/rows",
                numbers: numbers,
                ifShorterThan: new.text,
                ofAtLeast: new.minimumLength,
                as: slot
            )
        } else {
            // Nil if the edits are not known, or if ids are not unique.
            let edits = try isOwed ? nil : heldLists[index].map { try $0() } ?? list.edits(since: since)
            guard let edits else {
                return content.add(try list.encoded(), as: slot)
            }
            if edits.isEmpty { return }
            guard usesPatches else { return content.add(try list.encoded(), as: slot) }
            // A row has at least the 9 bytes of {"id":1} and a comma.
            let minimumLength = 2 + 9 * list.count
            try content.add(
                edits,
                at: "/\(slot.name)",
                ifShorterThan: list.encoded(),
                ofAtLeast: minimumLength,
                as: slot
            )
        }
    }

    // MARK: Events

    /// Encodes the events that the client lacks and the splices that the replaced binding has not sent, and no other change.
    func unsent(of old: Binding) -> FrameContent {
        for (index, sent) in old.sentEvents where sentEvents[index] != nil { sentEvents[index] = sent }
        var content = FrameContent()
        addEvents(since: old.sent, of: old.sentEvents, to: &content)
        addUnsentSplices(of: old, to: &content)
        return content
    }

    /// Encodes the events after a step, and no other change.
    func events(since step: Int) -> FrameContent {
        var content = FrameContent()
        addEvents(since: step, of: sentEvents, to: &content)
        return content
    }

    /// Encodes the unsent events of those outputs that are also in `outputs`.
    private func addEvents(since: Int, of outputs: [Int: Int], to content: inout FrameContent) {
        let log = instance.events
        var added: [Int: Int] = [:]
        for entry in log.kept(after: since) where sentEvents[entry.output] != nil && outputs[entry.output] != nil {
            content.add(event: entry.text, of: instance.type.slots[entry.output])
            added[entry.output, default: 0] += 1
        }
        for (index, sent) in sentEvents {
            content.lost += log.totals[index] - sent - added[index, default: 0]
        }
        markEventsSent()
    }

    /// Records that the client has received or lost all events.
    private func markEventsSent() {
        guard !sentEvents.isEmpty else { return }
        for index in sentEvents.keys {
            sentEvents[index] = instance.events.totals[index]
        }
    }
}
