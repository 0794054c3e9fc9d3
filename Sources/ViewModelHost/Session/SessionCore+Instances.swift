import ViewModelKit
import ViewModelProtocol

/// The creation and the end of instances: default ones, opened ones and children (protocol, sections 3 and 5).
extension SessionCore {
    /// Returns an instance, or nil.
    ///
    /// A default or built-in instance and its children are created on first mention.
    ///
    /// - Throws: An exceeded limit, or a fault in the ViewModel's initializer.
    func resolve(_ id: String) throws(ProtocolError) -> Instance? {
        if let instance = instancesByID.find(id) { return instance }
        if let type = host.types[ExactString(id)] {
            return type.isBuiltIn ? makeBuiltIn(type) : try make(id, type, arguments: nil)
        }
        guard let dot = id.lastIndex(of: ".") else { return nil }
        // Creating the parent creates the child.
        return try resolve(String(id[..<dot])).flatMap { _ in instancesByID.find(id) }
    }

    func open(_ params: ViewModelOpen.Params, _: Attachment) throws(ProtocolError) -> Reply {
        guard let type = host.types[ExactString(params.type)] else {
            if host.childPaths[ExactString(params.type)] != nil {
                throw .invalidParams(
                    path: "/type",
                    expected: "a type with instances of its own; a child is created with its parent",
                    found: ValueMismatch.describe(encoded: params.type)
                )
            }
            let known = host.types.keys.map(\.string).sorted()
            throw .notFound(type: params.type, suggestions: suggestions(for: params.type, among: known))
        }
        let (instance, isNew) = try open(type, id: params.id?.text, params.arguments)
        return host.reply(ViewModelOpen.Result(id: instance.id, type: type.name, created: isNew), metadata)
    }

    func open(_ type: String, id: String?, arguments: [UInt8], for opener: String) throws -> String {
        guard let type = host.types[ExactString(type)] else {
            throw CatalogError(description: "\(type) is not hosted; call catalog.host(…) before the daemon starts")
        }
        do throws(ProtocolError) {
            if let id, InstanceID(id) == nil { throw Self.invalid(id, expected: InstanceID.rule) }
            return try open(type, id: id, JSONValue(text: arguments), for: opener.isEmpty ? nil : opener).instance.id
        } catch {
            throw error.ofViewModel
        }
    }

    /// Returns the instance of an id, or creates it; without an id, one with a fresh id.
    ///
    /// The opener is the id of the instance with which the new one closes.
    private func open(
        _ type: HostedType,
        id: String?,
        _ arguments: JSONValue?,
        for opener: String? = nil
    ) throws(ProtocolError) -> (instance: Instance, isNew: Bool) {
        if type.isBuiltIn, id != type.name {
            throw Self.invalid(id, expected: "\(type.name), the one instance of its type")
        }
        if let id {
            if InstanceID.reserved.contains(id) {
                throw Self.invalid(id, expected: "an id that is not reserved")
            }
            let name = ExactString(id)
            if host.types[name] != nil || host.childPaths[name] != nil, id != type.name {
                throw Self.invalid(id, expected: "an id that is no other type's name")
            }
            // An instance that is restored now may open one that is restored after it, with the arguments that are saved.
            if isRestoring, let saved = unrestored(id) { try? reopen(saved) }
            if let instance = type.isBuiltIn ? try resolve(id) : instancesByID.find(id) {
                guard instance.type === type else {
                    let type = instance.type.name
                    let expected = "an id that no instance of another type has: this one is of type \(type)"
                    throw Self.invalid(id, expected: expected)
                }
                if instance.isClosing { throw Self.invalid(id, expected: "an id whose instance is not being closed") }
                return (instance, false)
            }
            if let saved = unrestored(id), saved.type != type.name, host.formerTypes[ExactString(saved.type)] !== type {
                let expected = "an id that no saved instance of another type has: one of type \(saved.type) is kept"
                throw Self.invalid(id, expected: expected)
            }
        }
        if type.contract.arguments == nil, let unknown = arguments?.objectValue?.first {
            throw .invalidParams(
                path: JSONPointer(tokens: ["arguments", unknown.key]).description,
                expected: "no arguments: \(type.name) has none",
                found: ValueMismatch.describe(unknown.value)
            )
        }
        return (try make(id ?? freshID(of: type), type, arguments: arguments, opener: opener), true)
    }

    private static func invalid(_ id: String?, expected: String) -> ProtocolError {
        let found = id.map { ValueMismatch.describe(encoded: $0) } ?? ValueMismatch.nothing
        return .invalidParams(path: "/id", expected: expected, found: found)
    }

    private func freshID(of type: HostedType) -> String {
        var id: String
        repeat {
            openedCount += 1
            let suffix = "-\(openedCount)"
            id = type.name.prefix(64 - suffix.utf8.count) + suffix
        } while instancesByID.find(id) != nil || host.types[ExactString(id)] != nil || unrestored(id) != nil
        return id
    }

    /// Returns the saved instance of an id that could not be restored, or that may still be restored; or nil.
    private func unrestored(_ id: String) -> SavedInstance? {
        (isRestoring ? saver?.saved.instances : saver?.unrestored)?.first { $0.id == id }
    }

    /// Recreates a saved instance.
    ///
    /// Throws if its type no longer exists or is no longer restored, or if its id or its arguments are not valid.
    func reopen(_ saved: SavedInstance) throws {
        guard instancesByID.find(saved.id) == nil else { return }
        let name = ExactString(saved.type)
        guard let type = host.types[name] ?? host.formerTypes[name], type.isRestored,
            InstanceID(saved.id) != nil, !ViewModelCatalog.reserved.contains(saved.id)
        else {
            throw ProtocolError.notFound(type: saved.type)
        }
        let arguments = try saved.arguments.map { text in
            try text.withUnsafeBytes { try JSONValue(parsing: $0) }
        }
        // The default instance is called as its type.
        let id = saved.id == saved.type ? type.name : saved.id
        guard instancesByID.find(id) == nil else { return }
        defer { if failedInstance == nil, session?.currentStatus.failure != nil { failedInstance = saved.id } }
        _ = try make(id, type, arguments: arguments, isRestored: true)
    }

    private func make(
        _ id: String,
        _ type: HostedType,
        arguments: JSONValue?,
        opener: String? = nil,
        isRestored: Bool = false
    ) throws(ProtocolError) -> Instance {
        let limit = host.configuration.limits.instancesPerSession
        let unmade = host.builtInTypes.count { instancesByID.find($0.name) == nil }
        // The init of an instance may open others.
        let begun = unfinished.reduce(0) { $0 + $1.count }
        guard instances.count + unmade + begun + type.instanceCount <= limit else {
            throw .limitExceeded(limit: "limits.instancesPerSession", value: limit)
        }
        guard unfinished.count < Self.deepestInit, !unfinished.contains(where: { $0.id == id }) else {
            let fault = "instances open each other in their init without end; open them in an input or action"
            throw protocolError(for: CatalogError(description: fault), in: "making \(id)")
        }
        unfinished.append((id, type.instanceCount))
        defer { unfinished.removeLast() }
        let text = arguments?.text
        let instance: Instance
        do {
            if !isRestored { try checkRoom(for: HeldBytes.counted(text?.count ?? 0), isBrief: false) }
            guard let make = type.make else { throw ProtocolError.notFound(type: type.name) }
            instance = try graph.step {
                let place = ActivityPlace(instance: id, members: type.memberNames, in: graph.place)
                graph.enter(place, member: 0)
                let taskScope = TaskScope()
                let context = ViewModelContext(
                    services,
                    id: id,
                    typeName: type.name,
                    arguments: text,
                    as: type.contract.arguments
                )
                var count = instances.count
                let object: AnyObject
                do {
                    object = try graph.wiring(taskScope, owner: type.owner(id)) { try make(context) }
                } catch {
                    taskScope.end()
                    for opened in instances.dropFirst(count) where opened.opener == id {
                        // What is restored may be opened again by a later version of the class.
                        let isKept = unrestored(opened.id) != nil || opened.id == opened.type.name
                        if !isRestored || !isKept { close(opened) }
                    }
                    throw error
                }
                graph.markInstanceCreated()
                count = instances.count
                let instance = Instance(
                    id: id,
                    type: type,
                    object: object,
                    place: place,
                    opener: opener ?? saver?.saved.values[.opener(of: id)].flatMap { JSONValue(text: $0)?.stringValue },
                    arguments: text,
                    taskScope: taskScope,
                    sequence: graph.sequence + 1,
                    eventLimit: host.configuration.limits.events
                )
                add(instance)
                if instance.isSaved, !isRestored {
                    saver?.instancesChanged = true
                    if let opener { saver?.set(SavedInstance.text(opener: opener), .opener(of: id)) }
                }
                updateInstanceCount(by: instances.count - count)
                return instance
            }
        } catch let invalid as InvalidValue {
            throw ProtocolError(invalid, at: "/arguments")
        } catch let mismatch as ValueMismatch {
            let shape = type.contract.arguments
            let error = ProtocolError(mismatch, isAwaited: isAwaited, in: "/arguments") {
                shape?.schema?.memberNames(at: $0)
            }
            throw shape?.reading.isSecret == true ? error.redacted : error
        } catch {
            throw protocolError(for: error, in: "making \(id)")
        }
        try checkFailure()
        return instance
    }

    /// The most instances of which each one is opened by the init of the one before.
    private static var deepestInit: Int { 64 }

    private func makeBuiltIn(_ type: HostedType) -> Instance {
        // The built-in instances count as existing from the start, so their creation is not numbered as a step.
        let object: AnyObject =
            switch type.name {
            case "coordinator": services.coordinator
            case "prompter": services.prompter
            default: graph.wiring { DaemonHealth(host: host, clock: services.clock) }
            }
        let instance = graph.step {
            let eventLimit = host.configuration.limits.events
            let place = ActivityPlace(instance: type.name, members: type.memberNames, in: graph.place)
            let instance = Instance(
                id: type.name,
                type: type,
                object: object,
                place: place,
                sequence: 0,
                eventLimit: eventLimit
            )
            add(instance)
            return instance
        }
        if !developmentHints.isEmpty { sendDevelopmentHints() }
        return instance
    }

    /// Adds an instance and its children.
    private func add(_ instance: Instance) {
        instances.append(instance)
        instancesByID[Array(instance.id.utf8)] = instance
        restoreCalls(of: instance)
        if instance.argumentBytes > 0 { count(heldBytes: instance.argumentBytes) }
        for child in instance.children { add(child) }
    }

    func close(_ params: ViewModelClose.Params, _: Attachment) throws(ProtocolError) -> Reply {
        let id = params.id
        if InstanceID.builtIn.contains(id) {
            throw Self.invalid(id, expected: "an instance that is not built in")
        }
        guard let instance = instancesByID.find(id) else {
            throw .notFound(
                instance: id,
                suggestions: suggestions(for: id, among: instances.lazy.map(\.id))
            )
        }
        if let parent = instance.parent {
            throw Self.invalid(id, expected: "an instance that is no child: this one is closed with \(parent.id)")
        }
        graph.step { close(instance) }
        return .null
    }

    func closing(_ id: String) -> (() -> Void)? {
        guard let instance = instancesByID.find(id), instance.parent == nil, !instance.type.isBuiltIn else {
            return nil
        }
        instance.isClosing = true
        // The end of its opener may close it before.
        return { if !instance.isClosed { self.close(instance) } }
    }

    /// Handles `viewModel.list`.
    func list(_: NoParams, _: Attachment) -> Reply {
        let builtIn = host.builtInTypes.map { ViewModelList.Entry(id: $0.name, type: $0.name) }
        let others = instances.filter { !$0.type.isBuiltIn }
        let entries = builtIn + others.map { ViewModelList.Entry(id: $0.id, type: $0.type.name) }
        return host.reply(ViewModelList.Result(instances: entries), metadata)
    }

    /// Closes an instance, and those that it has opened, as a part of the running step.
    private func close(_ instance: Instance) {
        let count = instances.count
        var open = [instance]
        while let next = open.popLast() {
            end(next)
            let openers = [next.id] + (saver?.forgetUnrestored(openedBy: next.id) ?? [])
            open += instances.filter { $0.opener.map(openers.contains) ?? false }
        }
        updateInstanceCount(by: instances.count - count)
        // The step may have changed no output, but it has changed the saved session.
        saver?.stepEnded()
    }

    /// Closes the restored instances whose opener is not restored, unless it stays saved.
    func closeOrphans() {
        graph.step {
            for instance in instances where !instance.isClosed {
                guard let opener = instance.opener, instancesByID.find(opener) == nil else { continue }
                if saver?.unrestored.contains(where: { $0.id == opener }) != true { close(instance) }
            }
        }
    }

    /// Ends an instance with its children.
    private func end(_ instance: Instance) {
        for child in instance.children { end(child) }
        instance.children = []
        var notified: [Attachment] = []
        for binding in instance.bindings {
            let attachment = binding.attachment
            attachment.unbind(instance, tag: binding.tag, notifiesObserver: false)
            if !notified.contains(where: { $0 === attachment }) { notified.append(attachment) }
        }
        for attachment in notified { attachment.notifyClosed(instance.id) }
        let held = instance.heldBytes
        if held > 0 { count(heldBytes: -held) }
        instance.close()
        instances.removeAll { $0 === instance }
        instancesByID[Array(instance.id.utf8)] = nil
        let names = graph.restorable.forget(instance.id)
        saver?.forget(instance, names)
    }
}
