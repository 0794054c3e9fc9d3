import Logging
import PostgresSupport
import Synchronization
import TestSupport
import Testing
import ViewModelHost
import ViewModelStorage

@testable import ViewModelPostgres

/// Random schedules of writes, faults and take-overs over three nodes with one database.
@Suite(.postgres) struct ScheduleTests {
    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `nothing acknowledged is lost or doubled, and no write passes an old fence`(seed: UInt64) async throws {
        var random = Seeded(seed)
        let farm = try await ScheduledFarm()
        for _ in 0..<60 { try await farm.step(&random) }
        try await farm.check()
    }
}

/// Three nodes behind relays, and what they were told.
private final class ScheduledFarm {
    private struct Node {
        var storage: PostgresStorage
        let relay: Relay
        let settings: ConnectionSettings
        /// The fence under which the node believes to own the session.
        var fence: SessionFence?
    }

    private static let uid: UInt32 = 1000
    private let desk = SessionKey(uid: ScheduledFarm.uid, name: "desk")
    private let farm: Farm
    private var nodes: [Node] = []
    /// The number of the latest write of the session, and the numbers of the acknowledged ones.
    private var writes = 0
    private var acknowledged = 0
    private var latestFence: Int64 = 0
    /// The texts of items that the outbox may have, and of those that it must have.
    private var added: Set<String> = []
    private var confirmed: Set<String> = []
    private var sent: [String] = []

    init() async throws {
        farm = try await Farm()
        let server = try await PostgresServer.shared()
        for index in 0..<3 {
            let relay = try Relay(to: server)
            var settings = try farm.settings(behind: relay, of: server)
            settings.transactionLimit = .seconds(1)
            settings.connectLimit = .seconds(1)
            let storage = try await Self.open(farm, settings, index)
            nodes.append(Node(storage: storage, relay: relay, settings: settings))
        }
    }

    private static func open(
        _ farm: Farm,
        _ settings: ConnectionSettings,
        _ index: Int
    ) async throws -> PostgresStorage {
        while true {
            do {
                return try await farm.open("node\(index)") { $0.settings = settings }
            } catch let error as StoreError where error.isRetryable {
                // A fault of the schedule hit the start. The service manager would repeat it.
            }
        }
    }

    func step(_ random: inout Seeded) async throws {
        let index = Int.random(in: 0..<3, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<5: await save(index)
        case 5..<9: await add(index)
        case 9..<12: await send(index)
        case 12..<14: await acquire(index)
        case 14: nodes[index].relay.swallow("COMMIT")
        case 15: nodes[index].relay.swallow("COMMIT", cuts: true)
        case 16: nodes[index].relay.cut()
        case 17: try await farm.expire(nodes[index].storage)
        case 18: _ = try? await nodes[index].storage.lease.renew()
        default: try await restart(index)
        }
    }

    private func save(_ index: Int) async {
        guard let fence = nodes[index].fence else { return await acquire(index) }
        writes += 1
        let number = writes
        let value = SavedValue(key: SavedValue.Key(owner: "lab", name: "number"), text: Array("\(number)".utf8))
        let changes = SessionChanges(key: desk, fence: fence, values: [value])
        do {
            try await nodes[index].storage.sessions.save(changes)
            #expect(fence.number == latestFence, "a write passed the old fence \(fence.number) of \(latestFence)")
            acknowledged = number
        } catch is SessionMoved {
            nodes[index].fence = nil
        } catch {
            // The outcome is unknown: a later read finds this number or the acknowledged one.
        }
    }

    private func acquire(_ index: Int) async {
        do {
            guard let session = try await nodes[index].storage.claimAtOnce(desk) else { return }
            #expect(session.fence.number > latestFence)
            latestFence = session.fence.number
            nodes[index].fence = session.fence
            let text = session.saved?.values.values.first.map { String(decoding: $0, as: UTF8.self) }
            let found = text.flatMap { Int($0) } ?? 0
            #expect(
                (acknowledged...max(acknowledged, writes)).contains(found),
                "\(found), acknowledged \(acknowledged)"
            )
        } catch is SessionMoved {
            // It lives on another node.
        } catch {
            // The claim may have succeeded nevertheless. Its number is read from the database.
            let rows = try? await farm.pool.rows("SELECT fence FROM session_owner")
            latestFence = (try? rows?.first?.integer("fence")) ?? latestFence
        }
    }

    private func add(_ index: Int) async {
        let text = "\(added.count)"
        added.insert(text)
        if case .success? = try? await nodes[index].storage.outbox.add(text, of: Self.uid) { confirmed.insert(text) }
    }

    private func send(_ index: Int) async {
        let outbox = nodes[index].storage.outbox
        guard let item = try? await outbox.claim(nil, of: Self.uid) else { return }
        if (try? await outbox.finish(item.id, of: Self.uid, .sent)) ?? nil != nil { sent.append(item.text) }
    }

    /// Kills a node and starts it again.
    private func restart(_ index: Int) async throws {
        await nodes[index].storage.abandon()
        nodes[index].fence = nil
        nodes[index].relay.revive()
        nodes[index].storage = try await Self.open(farm, nodes[index].settings, index)
    }

    func check() async throws {
        for index in nodes.indices {
            nodes[index].relay.stop()
            await nodes[index].storage.abandon()
        }
        let last = try await farm.open("checker")
        let items = try await last.outbox.items(of: Self.uid)
        let texts = items.map(\.text)
        #expect(Set(texts).count == texts.count, "an item is doubled: \(texts)")
        #expect(confirmed.isSubset(of: texts), "an acknowledged item is lost")
        #expect(Set(texts).isSubset(of: added))
        #expect(Set(sent).count == sent.count, "an item was finished twice: \(sent)")
        #expect(Set(sent).isSubset(of: items.filter { $0.status == .sent }.map(\.text)))
        let totals = try #require(await farm.pool.rows("SELECT items, bytes FROM outbox_total").first)
        let unsent = items.filter { $0.status != .sent }
        #expect(try totals.integer("items", as: Int.self) == unsent.count)
        #expect(try totals.integer("bytes", as: Int.self) == unsent.reduce(0) { $0 + $1.text.utf8.count })
        try await last.close()
    }
}
