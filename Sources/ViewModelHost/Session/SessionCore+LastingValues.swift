import ViewModelKit
import ViewModelProtocol

/// The values that are kept, of the session itself, of its user and of the daemon.
extension SessionCore {
    var saveInterval: Duration? {
        guard host.store != nil else { return nil }
        let interval = Duration.milliseconds(host.configuration.session.saveIntervalMilliseconds)
        // Other machines show the values within a second.
        return host.placement == nil ? interval : min(interval, .milliseconds(200))
    }

    func scheduleSave() { saver?.stepEnded() }

    func save() {
        if let saver { saver.save() } else { graph.prepareToSave() }
    }

    func keptValue(_ key: RestorableKey) -> (text: [UInt8], revision: Int)? {
        guard let area = area(of: key) else {
            return saver?.saved.values.removeValue(forKey: key.saved).map { ($0, 0) }
        }
        let kept = host.lasting.value(key.saved, of: area)
        count(key, of: area)
        return kept
    }

    func keep(_ text: [UInt8], as key: RestorableKey) -> Int {
        guard let area = area(of: key) else { return 0 }
        let revision = host.lasting.set(text, key.saved, of: area)
        count(key, of: area)
        if let interval = saveInterval { host.scheduleSave(area, after: interval, on: loop) }
        host.publish([(key.saved, text, revision)], of: area)
        return revision
    }

    /// Counts a value of the user.
    ///
    /// It outlasts the session, so the session does not count it.
    private func count(_ key: RestorableKey, of area: ValueArea) {
        if let uid = area.uid { host.lasting.count(key.saved, of: uid, on: loop) }
    }

    /// Returns the owner of a value; nil for a value of the session.
    private func area(of key: RestorableKey) -> ValueArea? {
        switch key.persistence {
        case .session: nil
        case .user: .user(uid)
        case .daemon: .daemon
        }
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

extension RestorableKey {
    /// The key in the store.
    var saved: SavedValue.Key { SavedValue.Key(owner: owner, name: name) }
}
