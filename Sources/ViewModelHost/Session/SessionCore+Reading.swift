import ViewModelContract
import ViewModelKit
import ViewModelProtocol

/// Reads and bindings (protocol, sections 5 and 7).
extension SessionCore {
    func read(_ params: ViewModelRead.Params, _ attachment: Attachment) throws(ProtocolError) -> Reply {
        let instance = try existing(params.id)
        let selection = try selection(of: params.outputs, in: instance.type)
        let windows = try windows(params.windows, selection, in: instance.type)
        try willBeRead(instance, selection)
        attachment.outputsWereRead(of: instance)
        return try encoding(instance) { writer in
            writeHead(of: instance, to: &writer)
            writer.raw(",\"values\":{")
            try writeValues(selection, of: instance, to: &writer) { index in
                guard let window = windows[index], let list = instance.outputs[index].list else {
                    return nil
                }
                return try WindowContent(of: list, in: window)
            }
            writer.raw("}}")
        }
    }

    func bind(_ params: ViewModelBind.Params, _ attachment: Attachment) throws(ProtocolError) -> Reply {
        let instance = try existing(params.id)
        let selection = try selection(of: params.outputs, in: instance.type)
        let windows = try windows(params.windows, selection, in: instance.type)
        let tag = params.tag?.text
        try attachment.checkRoom(for: instance, tag: tag)
        try willBeRead(instance, selection)
        attachment.willBind(instance, tag: tag, selection, windows)
        if instance.isClosed { throw .notFound(instance: instance.id) }
        do throws(ProtocolError) {
            return try bind(params, attachment, instance, selection, windows)
        } catch {
            attachment.didNotBind(instance, tag: tag)
            throw error
        }
    }

    private func bind(
        _ params: ViewModelBind.Params,
        _ attachment: Attachment,
        _ instance: Instance,
        _ selection: [Int],
        _ windows: [Int: Window]
    ) throws(ProtocolError) -> Reply {
        let milliseconds = min(params.minInterval ?? 0, 86_400_000)
        let binding = Binding(
            instance: instance,
            attachment: attachment,
            tag: params.tag?.text,
            selection: selection,
            windows: windows,
            minInterval: .milliseconds(milliseconds),
            usesPatches: params.patches ?? true,
            usesSplices: params.splices ?? false,
            sent: graph.sequence
        )
        let since = params.since.flatMap { since in
            since.epoch == epoch && since.seq >= instance.createdAt && since.seq <= graph.sequence ? since.seq : nil
        }
        var lost = 0
        let reply = try encoding(instance) { writer in
            writeHead(of: instance, binding, to: &writer)
            if let since { binding.resume(after: since) }
            if let since, binding.canFollowRows(since: since) {
                writer.raw(",\"full\":false")
                var changes = binding.changes(since: since, isResumed: true)
                try binding.readUnsentWindows(to: &changes)
                if !changes.hasValues { writer.raw(",\"values\":{}") }
                changes.write(to: &writer)
                lost = changes.lost
            } else {
                writer.raw(",\"full\":true,\"values\":{")
                try writeValues(selection, of: instance, to: &writer, window: binding.readWindow) { index in
                    binding.owedLists.insert(index)
                }
                writer.byte(UInt8(ascii: "}"))
                let old = attachment.binding(to: instance, tag: binding.tag)
                // The reply also has what the client lacks besides the picture.
                if let unsent = since.map(binding.events) ?? old.map(binding.unsent) {
                    unsent.write(to: &writer)
                    lost = unsent.lost
                }
            }
            writer.byte(UInt8(ascii: "}"))
        }
        binding.countUnsentRows()
        attachment.bind(binding)
        binding.report(lost: lost)
        return reply
    }

    func unbind(_ params: ViewModelUnbind.Params, _ attachment: Attachment) throws(ProtocolError) -> Reply {
        let instance = try existing(params.id)
        graph.step { attachment.unbind(instance, tag: params.tag?.text) }
        return .null
    }

    private func existing(_ id: String) throws(ProtocolError) -> Instance {
        if let instance = try resolve(id) { return instance }
        throw .notFound(instance: id, suggestions: suggestions(forInstance: id))
    }

    /// Writes the states and lists of a selection as the members of an object.
    ///
    /// `window` returns the rows in the window of a list; `unencodable` is called for each list that cannot be encoded.
    private func writeValues(
        _ selection: [Int],
        of instance: Instance,
        to writer: inout JSONWriter,
        window: (Int) throws -> WindowContent?,
        unencodable: (Int) -> Void = { _ in }
    ) rethrows {
        var isFirst = true
        for index in selection where instance.type.slots[index].kind != .event {
            if !isFirst { writer.byte(UInt8(ascii: ",")) }
            isFirst = false
            writer.raw(instance.type.slots[index].key)
            if let content = try window(index) {
                writer.raw(content.text)
            } else if !write(index, of: instance, to: &writer) {
                unencodable(index)
            }
        }
    }

    /// Writes the value of an output.
    ///
    /// A state that cannot be encoded has its last good text, and such a list has no rows.
    ///
    /// - Returns: false for a list that cannot be encoded.
    private func write(_ index: Int, of instance: Instance, to writer: inout JSONWriter) -> Bool {
        let slot = instance.type.slots[index]
        func failed(_ error: any Error) { _ = incident(error, in: "encoding \(instance.id).\(slot.name)") }
        guard slot.kind == .list else {
            writer.raw(instance.state(index, failed: failed))
            return true
        }
        do {
            writer.raw(try instance.outputs[index].encoded())
            return true
        } catch {
            failed(error)
            writer.raw("[]")
            return false
        }
    }

    /// Lets an instance update the values that depend on time.
    private func willBeRead(_ instance: Instance, _ selection: [Int]) throws(ProtocolError) {
        if let observer = instance.object as? any BindingObserver {
            graph.enter(instance.place)
            graph.step { observer.willBeRead() }
            // It may have closed the instance.
            if instance.isClosed { throw .notFound(instance: instance.id) }
        }
        guard !instance.sampledOutputs.isEmpty else { return }
        graph.enter(instance.place)
        graph.step {
            for index in instance.sampledOutputs where selection.contains(index) {
                instance.outputs[index].sampling?.sample()
            }
        }
    }

    private func writeHead(of instance: Instance, _ binding: Binding? = nil, to writer: inout JSONWriter) {
        writer.raw("{\"id\":")
        writer.string(instance.id)
        binding?.writeTag(to: &writer)
        writer.raw(",\"epoch\":")
        writer.string(epoch)
        writer.raw(",\"seq\":")
        writer.integer(graph.sequence)
    }

    private func encoding(
        _ instance: Instance,
        _ body: (inout JSONWriter) throws -> Void
    ) throws(ProtocolError) -> Reply {
        graph.enterOutsideOfStep(instance.place)
        defer { graph.leave() }
        do {
            var writer = JSONWriter(reserving: 256)
            try body(&writer)
            return .result(writer.bytes)
        } catch {
            throw .internalError(incident: incident(error, in: "encoding \(instance.id)"))
        }
    }

    /// Returns the indices of outputs in the order of the contract; those of all outputs without names.
    private func selection(of names: [String]?, in type: HostedType) throws(ProtocolError) -> [Int] {
        guard let names else { return type.allOutputs }
        var indices: Set<Int> = []
        for (position, name) in names.enumerated() {
            guard let index = type.slotIndices[ExactString(name)] else {
                throw .invalidParams(
                    path: "/outputs/\(position)",
                    expected: "an output of \(type.name)",
                    found: ValueMismatch.describe(encoded: name),
                    suggestions: suggestions(for: name, among: type.slots.map(\.name).sorted())
                )
            }
            indices.insert(index)
        }
        return indices.count == type.slots.count ? type.allOutputs : indices.sorted()
    }

    private func windows(
        _ windows: [String: Window]?,
        _ selection: [Int],
        in type: HostedType
    ) throws(ProtocolError) -> [Int: Window] {
        var indexed: [Int: Window] = [:]
        for (name, window) in windows ?? [:] {
            guard let index = type.slotIndices[ExactString(name)], type.slots[index].kind == .list,
                selection.contains(index)
            else {
                let lists = type.slots.filter { $0.kind == .list }.map(\.name).sorted()
                throw .invalidParams(
                    path: JSONPointer(tokens: ["windows", name]).description,
                    expected: "a list that is bound, of \(lists.joined(separator: " "))",
                    found: ValueMismatch.describe(encoded: window),
                    suggestions: suggestions(for: name, among: lists)
                )
            }
            indexed[index] = window
        }
        return indexed
    }
}

extension Binding {
    /// Sets the event counts of a client that has the picture and all events of `step`.
    fileprivate func resume(after step: Int) {
        for index in sentEvents.keys {
            sentEvents[index] = instance.events.totals[index] - instance.events.count(of: index, after: step)
        }
    }

    /// Reads the rows in the window of a list, which the client is about to receive.
    ///
    /// Returns nil if the output has no window.
    fileprivate func readWindow(_ index: Int) throws -> WindowContent? {
        guard let window = windows[index], let list = instance.outputs[index].list else { return nil }
        let content = try WindowContent(of: list, in: window)
        windowContents[index] = content
        return content
    }

    /// Whether the rows of the lists that the binding follows are known since a step.
    fileprivate func canFollowRows(since step: Int) -> Bool {
        selection.allSatisfy { index in
            let output = instance.outputs[index]
            guard output.changedAt > step, followsRows(of: index), let list = output.list else { return true }
            return list.splices(since: step) != nil
        }
    }

    /// Counts the rows of the lists that the client has just received, or that did not change since the resumed step.
    fileprivate func countUnsentRows() {
        guard usesSplices else { return }
        for index in selection where rowCounts[index] == nil {
            guard let list = instance.outputs[index].list else { continue }
            rowCounts[index] = owedLists.contains(index) ? 0 : list.count
        }
    }

    /// Reads the windows whose lists did not change since the resumed step, so that later changes can be compared.
    ///
    /// Adds the anchored ones, because the client may have claimed the place that it has asked for at first.
    fileprivate func readUnsentWindows(to changes: inout FrameContent) throws {
        for index in windows.keys.sorted() where windowContents[index] == nil {
            guard let content = try readWindow(index), windows[index]?.anchor == true else { continue }
            changes.add(content.text, as: instance.type.slots[index])
        }
    }
}
