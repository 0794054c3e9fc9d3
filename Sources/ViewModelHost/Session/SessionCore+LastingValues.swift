import Logging
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
            return saver?.saved.values[key.saved].map { ($0, 0) }
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

    func otherValues(
        of key: RestorableKey,
        formerly names: [String]
    ) -> [(key: RestorableKey, text: [UInt8])] {
        let others: [(SavedValue.Key, [UInt8])]
        if let area = area(of: key) {
            others = host.lasting.others(of: key.saved, formerly: names, of: area)
        } else if let saver, saver.hasAsides || !names.isEmpty {
            others = key.saved.others(formerly: names) { saver.saved.values[$0] }
        } else {
            return []
        }
        return others.map { (RestorableKey(persistence: key.persistence, owner: $0.owner, name: $0.name), $1) }
    }

    func restored(_ owner: RestorableValues.Owner, _ keys: [RestorableKey]) {
        if let saver, !saver.saved.values.isEmpty {
            for key in keys where key.persistence == .session { saver.saved.values[key.saved] = nil }
        }
        if owner.id.hasPrefix("shared ") { reportUnclaimed(of: owner.id, owner.type) }
        for persistence in [Persistence.user, .daemon] {
            let area = persistence == .user ? ValueArea.user(uid) : .daemon
            for key in host.lasting.firstKeys(of: owner.type, in: area) where !key.isOfHost {
                reportUnclaimed(RestorableKey(persistence: persistence, owner: key.owner, name: key.name), owner.type)
            }
        }
    }

    /// Reports the saved values of the session's objects that no property reads.
    func reportUnclaimed() {
        for key in (saver?.saved.values ?? [:]).keys where !key.isOfHost {
            if key.owner.hasPrefix("shared "), !host.isKnown(owner: key.owner) {
                host.report(unread: "\(key)", "no class is called \(key.owner)", metadata)
            }
        }
        for instance in instances { reportUnclaimed(of: instance.id, instance.type.name) }
    }

    /// Reports the values of the session that no property of an object reads.
    private func reportUnclaimed(of owner: String, _ type: String) {
        for key in (saver?.saved.values ?? [:]).keys where key.owner == owner && !key.isOfHost {
            reportUnclaimed(RestorableKey(persistence: .session, owner: owner, name: key.name), type)
        }
    }

    private func reportUnclaimed(_ key: RestorableKey, _ type: String) {
        guard !graph.restorable.reads(key) else { return }
        report(unread: key, of: type, "no property has this name")
    }

    func report(unread key: RestorableKey, of type: String, _ problem: String) {
        let name = shownName(of: key, type)
        host.report(unread: name, problem, metadata)
        if host.isInDevelopment { hintUnreadValue(name, problem) }
    }

    private func shownName(of key: RestorableKey, _ type: String) -> String {
        "\(key.persistence == .session ? type : key.owner).\(key.saved.shownName)"
    }

    func putAside(_ text: [UInt8], of key: RestorableKey, of type: String) -> Bool {
        let isKept: Bool
        if let area = area(of: key) {
            isKept = host.lasting.putAside(text, of: key.saved, in: area)
        } else {
            isKept = saver?.putAside(text, of: key.saved) ?? true
        }
        if !isKept {
            let problem = "\(SavedValue.Key.mostAside) values are put aside already, so its changes are not saved"
            host.report(unread: shownName(of: key, type), problem, metadata, isReplacing: true)
        }
        return isKept
    }

    func set(_ text: [UInt8], _ key: RestorableKey) { saver?.set(text, key.saved) }

    func erase(_ key: RestorableKey, at revision: Int?) {
        guard let area = area(of: key) else { return saver?.set(nil, key.saved) ?? () }
        guard let erased = host.lasting.erase(key.saved, at: revision, of: area) else { return }
        count(key, of: area)
        host.publish([(key.saved, nil, erased)], of: area)
        if let interval = saveInterval { host.scheduleSave(area, after: interval, on: loop) }
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
