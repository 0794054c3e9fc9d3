import Logging
import ViewModelKit

/// The values that an earlier version of a class has saved, in their present form before an object reads them.
extension SessionCore {
    func prepare(_ owner: RestorableValues.Owner) {
        if let saver, !owner.isPrepared || saver.saved.values[.version(of: owner.id)] != nil {
            let versions = SavedVersions(host: host, owner: owner, id: owner.id, metadata: metadata)
            for (key, text) in versions.changes(of: saver.saved.values) { saver.set(text, key) }
        }
        let versions = SavedVersions(host: host, owner: owner, id: owner.type, metadata: metadata)
        for area in [ValueArea.user(uid), .daemon] {
            let changes = host.lasting.prepare(owner, of: area) { versions.changes(of: $0) }
            host.publish(changes, of: area)
            if !changes.isEmpty, let interval = saveInterval { host.scheduleSave(area, after: interval, on: loop) }
        }
    }
}

/// The versions of an object's saved values: those that have another name, the present form, or one that is not read.
///
/// The object reads values of the present version only, which its record says. Others have a name with their version.
struct SavedVersions: Sendable {
    private typealias Texts = [String: SavedValues.Texts]

    unowned let host: Host
    let owner: RestorableValues.Owner
    /// The id under which the object reads its values.
    let id: String
    let metadata: Logger.Metadata

    /// Returns the values to set, or nil to erase them, so that the object has them under its id and in the present form.
    ///
    /// The latest value of a name wins, and the others are put aside.
    func changes(of values: [SavedValue.Key: [UInt8]]) -> [SavedValue.Key: [UInt8]?] {
        // An instance that a client has opened keeps its id.
        let ids = [id] + (id == owner.type ? owner.formerNames : [])
        let own = values.filter { ids.contains($0.key.owner) }
        let count = owner.migrations.count
        var (present, texts, order): ([SavedValue.Key: [UInt8]], [Int: Texts], [Int]) = ([:], [:], [])
        for owner in ids {
            let record = own[.version(of: owner)].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
            let part = own.filter { $0.key.owner == owner }
            let placed = part.compactMap { key, text in
                key.place.map {
                    (key: key, version: $0.version ?? record, $0.number, isVersioned: $0.version != nil, text)
                }
            }
            // What an object has saved last, and then the latest version.
            let sorted = placed.sorted {
                ($0.isVersioned ? 1 : 0, -$0.version, $0.2) < ($1.isVersioned ? 1 : 0, -$1.version, $1.2)
            }
            for (key, version, number, _, text) in sorted {
                if !order.contains(version) { order.append(version) }
                texts[version, default: [:]][key.authorName, default: .init()].add(text, isPresent: number == 0)
            }
            for (key, text) in part where key.place == nil {
                let moved = SavedValue.Key(owner: id, name: key.name)
                if present[moved] == nil { present[moved] = text }
            }
        }
        var read: Texts = [:]
        for version in order {
            guard let group = texts[version] else { continue }
            if let migrated = migrated(group, from: version) {
                for (name, texts) in migrated { read[name, default: .init()].add(texts) }
            } else {
                keep(group, version, in: &present)
            }
        }
        keep(read, in: &present)
        // New values are in the present form.
        let record = SavedValue.Key.version(of: id)
        present[record] = count > 0 || present[record] != nil ? Array("\(count)".utf8) : nil
        var changes: [SavedValue.Key: [UInt8]?] = own.filter { present[$0.key] == nil }.mapValues { _ in .none }
        for (key, text) in present where own[key] != text { changes[key] = .some(text) }
        return changes
    }

    /// Returns values in the present form; nil if that is not possible, which is reported.
    ///
    /// The migrations run for the values without a key, and for those of each key.
    private func migrated(_ texts: Texts, from version: Int) -> Texts? {
        let count = owner.migrations.count
        guard version <= count else {
            host.report(unread: owner.type, "a later version of the class has saved it", metadata)
            return nil
        }
        guard version < count else { return texts }
        var result: Texts = [:]
        do {
            for (key, group) in Dictionary(grouping: texts, by: { $0.key.drop { $0 != "\u{1}" } }) {
                var saved = SavedValues(
                    Dictionary(uniqueKeysWithValues: group.map { (String($0.key.dropLast(key.count)), $0.value) })
                )
                try owner.migrate(&saved, from: version)
                for (name, texts) in saved.texts { result[name + key] = texts }
            }
            return result
        } catch {
            _ = host.incident(error, in: "a migration of \(owner.type)", metadata)
            host.report(unread: owner.type, "a migration has failed", metadata)
            return nil
        }
    }

    /// Keeps the values that the object reads, with those that were put aside.
    private func keep(_ texts: Texts, in values: inout [SavedValue.Key: [UInt8]]) {
        for (name, all) in texts {
            let key = SavedValue.Key(owner: id, name: name)
            values[key] = all.present
            for text in all.asides.reversed() where text != all.present {
                let aside = key.aside(for: text) { values[$0] } ?? key.free(owner.migrations.count, from: 1, in: values)
                values[aside] = text
            }
        }
    }

    /// Keeps the values of another version.
    private func keep(_ texts: Texts, _ version: Int, in values: inout [SavedValue.Key: [UInt8]]) {
        for (name, all) in texts {
            let key = SavedValue.Key(owner: id, name: name)
            if let text = all.present { values[key.free(version, from: 0, in: values)] = text }
            for text in all.asides { values[key.free(version, from: 1, in: values)] = text }
        }
    }
}

extension SavedValue.Key {
    /// Returns the first key of a version that no value has.
    fileprivate func free(_ version: Int, from number: Int, in values: [Self: [UInt8]]) -> Self {
        var number = number
        while values[of(version, number)] != nil { number += 1 }
        return of(version, number)
    }
}
