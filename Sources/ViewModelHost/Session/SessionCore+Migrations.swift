import ViewModelKit

/// The values that an earlier version of a class has saved, in their present form before an object reads them.
extension SessionCore {
    func prepare(_ owner: RestorableValues.Owner) {
        guard !owner.formerNames.isEmpty || !owner.migrations.isEmpty else { return }
        if let saver {
            let changes = changes(of: saver.saved.values, owner, at: owner.id)
            for (key, text) in changes { saver.set(text, key) }
        }
        for area in [ValueArea.user(uid), .daemon] {
            guard let values = host.lasting.firstValues(for: owner.type, of: area) else { continue }
            let changes = changes(of: values, owner, at: owner.type)
            guard !changes.isEmpty else { continue }
            host.publish(
                changes.compactMap { key, text in
                    let revision = host.lasting.set(text, key, of: area)
                    return text.map { (key, $0, revision) }
                },
                of: area
            )
            if let interval = saveInterval { host.scheduleSave(area, after: interval, on: loop) }
        }
    }

    /// Returns the values to set, or nil to erase them, so that an object has them under its id and in the present form.
    private func changes(
        of values: [SavedValue.Key: [UInt8]],
        _ owner: RestorableValues.Owner,
        at id: String
    ) -> [SavedValue.Key: [UInt8]?] {
        // An instance that a client has opened keeps its id.
        let formerIDs = id == owner.type ? owner.formerNames : []
        let own = values.filter { $0.key.owner == id || formerIDs.contains($0.key.owner) }
        var present: [SavedValue.Key: [UInt8]] = [:]
        // Those of the id itself win.
        for (key, text) in own.sorted(by: { $0.key.owner == id && $1.key.owner != id }) {
            let moved = SavedValue.Key(owner: id, name: key.name)
            if present[moved] != nil, key.isOfHost, !key.isAside { continue }
            if present[moved] == nil {
                present[moved] = text
            } else if let aside = SavedValue.Key(owner: id, name: key.authorName).aside(for: text, { present[$0] }) {
                present[aside] = text
            } else {
                present[key] = text
            }
        }
        if !owner.migrations.isEmpty { migrate(&present, owner, at: id) }
        var changes: [SavedValue.Key: [UInt8]?] = own.filter { present[$0.key] == nil }.mapValues { _ in .none }
        for (key, text) in present where own[key] != text { changes[key] = .some(text) }
        return changes
    }

    /// Runs the migrations that the values have not passed, and records their number.
    private func migrate(_ values: inout [SavedValue.Key: [UInt8]], _ owner: RestorableValues.Owner, at id: String) {
        let record = SavedValue.Key.version(of: id)
        let others = values.filter { $0.key.owner != id || ($0.key.isOfHost && !$0.key.isAside) }
        let version = values[record].flatMap { Int(String(decoding: $0, as: UTF8.self)) }
        var texts: [String: SavedValues.Texts] = [:]
        for key in values.keys where others[key] == nil {
            let name = SavedValue.Key(owner: id, name: key.authorName)
            texts[name.name, default: .init()].present = values[name]
            texts[name.name]?.asides = name.others(formerly: []) { values[$0] }.map(\.1)
        }
        // New values are in the present form.
        let passed = version ?? (texts.isEmpty ? owner.migrations.count : 0)
        guard passed <= owner.migrations.count else {
            return host.report(unread: owner.type, "a later version of the class has saved it", metadata)
        }
        var saved = SavedValues(texts)
        do {
            try owner.migrate(&saved, from: passed)
        } catch {
            _ = host.incident(error, in: "a migration of \(owner.type)", metadata)
            return host.report(unread: owner.type, "a migration has failed", metadata)
        }
        values = others
        values[record] = Array("\(owner.migrations.count)".utf8)
        for (name, all) in saved.texts {
            let key = SavedValue.Key(owner: id, name: name)
            values[key] = all.present
            for text in all.asides.reversed() {
                if let aside = key.aside(for: text, { values[$0] }) { values[aside] = text }
            }
        }
    }
}
