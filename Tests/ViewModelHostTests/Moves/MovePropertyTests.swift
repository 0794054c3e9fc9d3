import TestSupport
import Testing
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

/// Clients of three machines share one session at random, while machines are cut off, sleep and die.
@Suite struct `Whatever happens to the machines of a session` {
    @Test(.timeLimit(.minutes(5)), arguments: 0..<40 as Range<UInt64>)
    func `nothing acknowledged is lost or doubled, and each life is on one machine`(seed: UInt64) async throws {
        var world = try World(seed: seed)
        for _ in 0..<200 { try world.step() }
        try await world.heal()
        try world.checkEnd()
    }
}

/// A client that sends numbers, each with a retry key.
private final class Sender {
    let machine: Machine
    let client: TestClient
    let attach: SentRequest
    private(set) var adds: [JSONValue: Int] = [:]
    private(set) var isAttached = false
    private var seen = 0

    init(on machine: Machine, moves: Bool) {
        self.machine = machine
        client = machine.connect()
        attach = client.begin("session.attach", desk(["move": .bool(moves), "linger": 20]))
    }

    func add(_ number: Int) {
        let params: JSONValue = ["value": .integer(number), "_meta": ["key": .string("key \(number)")]]
        adds[client.begin("ledger.add", params).id] = number
    }

    /// Reads what has come, and returns the numbers that the session has acknowledged.
    ///
    /// A success that comes after the end of the session counts, too: the call had been carried out before, and its reply
    /// has waited for the last save.
    func follow(_ sawEpoch: (String) -> Void) -> [Int] {
        var acknowledged: [Int] = []
        let received = client.received
        for message in received[seen...] {
            if case .result(attach.id, let result) = message {
                isAttached = true
                sawEpoch(result["epoch"]?.stringValue ?? "")
                client.begin("viewModel.bind", ["id": "ledger"])
            } else if message.params(of: "session.closed") != nil {
                isAttached = false
            } else if case .result(let id, _) = message, let number = adds[id] {
                acknowledged.append(number)
            }
        }
        seen = received.count
        return acknowledged
    }
}

private struct World {
    private let machines: Machines
    private var random: Seeded
    private var senders: [Sender] = []
    private var lastNumber = 0
    private var acknowledged: Set<Int> = []
    /// The machine of each epoch.
    private var homes: [String: String] = [:]
    private var dead: [String] = []
    /// Whether leases never expire, so that the session never lives on two machines.
    private let isCalm: Bool

    init(seed: UInt64) throws {
        random = Seeded(seed)
        machines = try Machines("a", "b", "c")
        isCalm = seed % 3 == 0
    }

    private mutating func machine() -> Machine { machines.all.randomElement(using: &random) ?? machines.all[0] }

    mutating func step() throws {
        let cluster = machines.cluster
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<14:
            senders.append(Sender(on: machine(), moves: Int.random(in: 0..<3, using: &random) == 0))
        case 14..<22:
            if let index = senders.indices.randomElement(using: &random) { senders.remove(at: index).client.close() }
        case 22..<45:
            if let sender = senders.filter(\.isAttached).randomElement(using: &random) {
                lastNumber += 1
                sender.add(lastNumber)
            }
        case 45..<50:
            if lastNumber > 0, let sender = senders.filter(\.isAttached).randomElement(using: &random) {
                sender.add(Int.random(in: max(1, lastNumber - 5)...lastNumber, using: &random))
            }
        case 50..<75: machine().loop.runOnce()
        case 75..<81: machine().loop.advance(by: .milliseconds(Int.random(in: 1..<3000, using: &random)))
        case 81..<82: machine().loop.advance(by: .seconds(25))
        case 82..<86: cluster.holdSaves(of: machine().name)
        case 86..<90: cluster.letSavesGo(of: machine().name)
        case 90..<92: cluster.repeatRequests()
        case 92..<93: cluster.timeOut()
        case 93..<95: cluster.cutOff(machine().name)
        case 95..<98: cluster.reconnect(machine().name)
        case 98..<99 where !isCalm: cluster.loseEvents(of: machine().name)
        case 99 where !isCalm: try expireOrKill()
        default: machines.runUntilIdle()
        }
        try check()
    }

    private mutating func expireOrKill() throws {
        let victim = machine()
        if Bool.random(using: &random) {
            machines.cluster.expireLease(of: victim.name)
        } else {
            senders.removeAll { $0.machine === victim }
            try machines.kill(victim, replacedBy: "\(victim.name)'")
            dead.append(victim.name)
            if Bool.random(using: &random) { machines.cluster.expireLease(of: victim.name) }
        }
    }

    private mutating func check() throws {
        for sender in senders {
            var epochs: [String] = []
            for number in sender.follow({ epochs.append($0) }) { acknowledged.insert(number) }
            for epoch in epochs {
                #expect(homes[epoch, default: sender.machine.name] == sender.machine.name)
                homes[epoch] = sender.machine.name
            }
            #expect(sender.client.faults.isEmpty)
        }
        if isCalm { #expect(machines.all.count { $0.hasSession() } <= 1) }
        #expect(machines.cluster.lateWrites == 0)
    }

    /// Ends all faults, and lets everything come to rest.
    mutating func heal() async throws {
        for name in dead { machines.cluster.expireLease(of: name) }
        for machine in machines.all {
            machines.cluster.letSavesGo(of: machine.name)
            machines.cluster.reconnect(machine.name)
        }
        for _ in 0..<8 {
            machines.cluster.repeatRequests()
            machines.runUntilIdle()
            for machine in machines.all { machine.loop.advance(by: .seconds(1)) }
        }
        // A machine without the session releases it on a thread of the pool.
        while true {
            let version = machines.cluster.version
            machines.runUntilIdle()
            if senders.allSatisfy({ $0.attach.answer != nil }) { break }
            await machines.cluster.wait { $0.version != version }
        }
        try check()
    }

    /// Checks what is saved, from a machine that attaches last.
    func checkEnd() throws {
        for sender in senders { #expect(sender.attach.answer != nil) }
        let (client, _) = try machines.all[0].attach(["move": true])
        let numbers = try machines.numbers(client)?.arrayValue?.compactMap(\.intValue) ?? []
        #expect(Set(numbers).count == numbers.count, "doubled: \(numbers)")
        #expect(acknowledged.isSubset(of: numbers), "lost: \(acknowledged.subtracting(numbers))")
        #expect(machines.all.count { $0.hasSession() } == 1)
        #expect(machines.cluster.lateWrites == 0)
    }
}
