import Accounts
import FoundationEssentials
import Glibc
import Logging
import StorageChecks
import TestSupport
import Testing
import ViewModelHost

@testable import ViewModelStorage
@testable import ViewModelStore

/// A process that fills outbox, vault and sessions is killed at random moments; `VIEWMODELD_KILLS` says how often.
@Suite struct KillTests {
    @Test func `what was acknowledged is there after a kill at any moment`() async throws {
        var random = Seeded(.random(in: 0...UInt64.max))
        let directory = try TemporaryDirectory()
        var acknowledged = Acknowledged()
        for round in 1...kills {
            let (path, seed) = (directory.path, random.next())
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, seed = seed as UInt64] in
                try await Victim(path: path, seed: seed).live()
            }
            try acknowledged.read(directory)
            try await acknowledged.check(directory, "round \(round)")
        }
        print("\(kills) kills, \(acknowledged.added.count) items, \(acknowledged.token) tokens")
        #expect(!acknowledged.added.isEmpty)
    }
}

/// What processes that are dead by now were told to be safe.
private struct Acknowledged {
    var added: Set<String> = []
    var sent: Set<String> = []
    var removed: Set<String> = []
    /// The highest number that was acknowledged, and the highest that was begun.
    var token = 0
    var tokenBegun = 0
    var value = 0
    var valueBegun = 0
    /// Removals and deliveries that were begun; whether they happened is open until they are seen.
    var removalsBegun: Set<String> = []

    /// Takes what the last process wrote.
    ///
    /// A kill may end a write at the end of a page, so only whole lines count.
    mutating func read(_ directory: TemporaryDirectory) throws {
        guard try directory.names().contains("acknowledged") else { return }
        let bytes = try directory.bytes("acknowledged")
        try directory.write([], to: "acknowledged")
        let whole = bytes.lastIndex(of: UInt8(ascii: "\n")).map { bytes[...$0] } ?? []
        for line in String(decoding: whole, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "add": added.insert(words[1])
            case "sent": sent.insert(words[1])
            case "removing": removalsBegun.insert(words[1])
            case "removed": removed.insert(words[1])
            case "token": token = max(token, Int(words[1]) ?? 0)
            case "tokenBegun": tokenBegun = max(tokenBegun, Int(words[1]) ?? 0)
            case "value": value = max(value, Int(words[1]) ?? 0)
            default: valueBegun = max(valueBegun, Int(words[1]) ?? 0)
            }
        }
    }

    mutating func check(_ directory: TemporaryDirectory, _ comment: Comment) async throws {
        let store = try await openStore(directory)
        let items = try await store.outbox.items(of: anna)
        let found = Dictionary(uniqueKeysWithValues: items.map { ($0.id, $0) })
        // What was sent just before a kill is known from here on, though no caller got the answer.
        sent.formUnion(items.filter { $0.status == .sent }.map(\.id))
        // Of the sent ones only some are kept, so these may be missing.
        let missing = added.subtracting(removalsBegun).subtracting(sent).subtracting(found.keys)
        #expect(missing.isEmpty, comment)
        #expect(removed.intersection(found.keys).isEmpty, comment)
        #expect(items.allSatisfy { $0.status != .sending }, comment)
        #expect(items.allSatisfy { sent.contains($0.id) ? $0.status == .sent : true }, comment)
        #expect(items.filter { $0.status == .sent }.count <= OutboxItem.sentLimit, comment)

        try await store.vault.verify()
        let account = try await store.vault.token(of: anna, provider: "http")?.account
        #expect(token...tokenBegun ~= account.flatMap { Int($0) } ?? 0, comment)

        let session = try await store.sessions.load(SessionKey(uid: anna, name: "desk"))
        let texts = session?.values.values.map { Int(String(decoding: $0, as: UTF8.self)) ?? -1 } ?? []
        #expect(value...valueBegun ~= texts.max() ?? 0, comment)
        // Both values were saved in one go, and so was the instance.
        #expect(texts.isEmpty || Set(texts).count == 1 && texts.count == 2, comment)
        #expect(session == nil || session?.instances.map(\.id) == ["\(texts[0])"], comment)
        try await store.close()
    }
}

/// A process that works until it is killed.
private struct Victim {
    let path: String
    let seed: UInt64

    func live() async throws {
        var random = Seeded(seed, for: "victim")
        let log = open("\(path)/acknowledged", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        func note(_ line: String) {
            _ = write(log, line + "\n", line.utf8.count + 1)
        }
        // Mostly in the middle of work, sometimes while the store is being opened.
        let (isEarly, delay) = (Int.random(in: 0..<4, using: &random) == 0, random.next() % 150_000)
        if isEarly { killSelf(after: UInt32(delay)) }
        var configuration = StateStoreConfiguration(directory: path)
        configuration.credentialsDirectory = nil
        let logger = Logger(label: "victim") { _ in SwiftLogNoOpLogHandler() }
        let store = try await StateStore.open(configuration, logger: logger)
        if !isEarly { killSelf(after: UInt32(delay)) }
        var number = try await store.vault.token(of: anna, provider: "http").flatMap { Int($0.account) } ?? 0
        while true {
            number += 1
            for _ in 0..<3 {
                guard case .added(let item) = try await store.outbox.add("text \(number)", of: anna) else { return }
                note("add \(item.id)")
            }
            if let item = try await store.outbox.claim(of: anna) {
                try await store.outbox.countAttempt(item.id, of: anna)
                if try await store.outbox.finish(item.id, of: anna, .sent) != nil { note("sent \(item.id)") }
            }
            if let item = try await store.outbox.items(of: anna).last {
                note("removing \(item.id)")
                if try await store.outbox.remove(item.id, of: anna) == .removed { note("removed \(item.id)") }
            }
            note("tokenBegun \(number)")
            let token = VaultToken(access: Secret("t"), account: "\(number)")
            try await store.vault.store(token, of: anna, provider: "http")
            note("token \(number)")
            if number % 3 == 0 { try await store.vault.rotate() }
            note("valueBegun \(number)")
            try await store.sessions.save(
                SessionChanges(
                    key: SessionKey(uid: anna, name: "desk"),
                    instances: [SavedInstance(id: "\(number)", type: "lab", arguments: nil)],
                    values: ["", "\(number)"].map {
                        SavedValue(key: .init(owner: $0, name: "v"), text: Array("\(number)".utf8))
                    }
                )
            )
            note("value \(number)")
        }
    }

    private func killSelf(after microseconds: UInt32) {
        var thread = pthread_t()
        let argument = UnsafeMutableRawPointer(bitPattern: UInt(microseconds) + 1)
        pthread_create(
            &thread,
            nil,
            { argument in
                usleep(UInt32(UInt(bitPattern: argument)))
                kill(getpid(), SIGKILL)
                return nil
            },
            argument
        )
    }
}
