import ViewModelKit
import ViewModelProtocol

/// The values that outlast the session.
extension SessionCore {
    private func area(of key: LastingKey) -> ValueArea { key.isOfDaemon ? .daemon : .user(uid) }

    var saveInterval: Duration? {
        guard host.store != nil else { return nil }
        let interval = Duration.milliseconds(host.configuration.saveIntervalMilliseconds)
        // Other machines show the values within a second.
        return host.placement == nil ? interval : min(interval, .milliseconds(200))
    }

    func scheduleSave() { saver?.stepEnded() }

    func save() {
        if let saver { saver.save() } else { graph.prepareToSave() }
    }

    func keptValue(_ key: LastingKey) -> (text: [UInt8], revision: Int)? {
        let area = area(of: key)
        guard let kept = host.lasting.value(SavedValue.Key(owner: key.owner, name: key.name), of: area) else {
            return nil
        }
        if kept.counted != 0, !key.isOfDaemon { loop.count(heldBytes: kept.counted, of: uid) }
        return (kept.text, kept.revision)
    }

    func keep(_ text: [UInt8], as key: LastingKey) -> Int {
        let area = area(of: key)
        let kept = host.lasting.set(text, SavedValue.Key(owner: key.owner, name: key.name), of: area)
        // The values outlast the session, so the session does not count them.
        if kept.counted != 0, !key.isOfDaemon { loop.count(heldBytes: kept.counted, of: uid) }
        if kept.mustSchedule, let interval = saveInterval {
            _ = loop.schedule(after: interval) { [host, loop] in host.save(area, on: loop) }
        }
        for session in host.living.all(having: area) {
            session.loop.execute {
                guard !session.core.isEnded else { return }
                session.core.graph.lasting.adopt(text, as: key, revision: kept.revision)
            }
        }
        return kept.revision
    }

    /// Calls `body` when all changes so far are saved, or when a save has failed, with its error.
    ///
    /// Without unsaved changes it calls `body` at once.
    func whenSaved(_ body: @escaping SessionSaver.Completion) {
        save(host.lasting.unsavedAreas(of: uid), then: body)
    }

    /// Saves the values of areas, each once, and then the session.
    private func save(_ areas: [ValueArea], then body: @escaping SessionSaver.Completion) {
        guard host.store != nil, let area = areas.first else { return saver?.whenSaved(body) ?? body(nil) }
        let next = LoopConfined(body, on: loop)
        host.save(area, on: loop) { [session] failure in
            next.run { body in
                guard failure == nil, let core = session?.core else { return body(failure) }
                core.save(Array(areas.dropFirst()), then: body)
            }
        }
    }
}
