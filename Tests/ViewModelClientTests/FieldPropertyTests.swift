import TestSupport
import Testing

@testable import ViewModelClient

/// Random runs of fields against a model of the daemon, without I/O and in virtual time.
@Suite struct FieldPropertyTests {
    /// What the ViewModel makes of a value.
    enum Rule: CaseIterable, Sendable {
        case echo, upperCase, trim, clear, refuse

        /// Returns the new output, or nil if the daemon answers with an error.
        func apply(_ text: String, to output: String) -> String? {
            switch self {
            case .echo: text
            case .upperCase: text.uppercased()
            case .trim: text.trimming(" ")
            case .clear: text.count > 6 ? "" : text
            case .refuse: text.count > 6 ? nil : text
            }
        }
    }

    @Test(arguments: Rule.allCases, [1, 2])
    func `after quiet all writers show the output, and one writer loses no key`(rule: Rule, writers: Int) {
        for _ in 0..<150 {
            let seed = UInt64.random(in: .min ... .max)
            var world = World(rule, writers, seed)
            world.run()
            #expect(world.faults == [], "seed \(seed), rule \(rule), \(writers) writers")
            if world.faults != [] { return }
        }
    }
}

extension String {
    fileprivate func trimming(_ character: Character) -> String {
        String(drop { $0 == character }.reversed().drop { $0 == character }.reversed())
    }
}

/// A daemon with one output, its clients, and the messages between them.
private struct World {
    /// A message to a client.
    enum Message {
        case frame(String)
        case reply(isHeld: Bool)
        case refusal
        case output(String)
        case bound(String)
    }

    struct Client {
        var machine = FieldMachine<String>()
        var caret = 0
        /// What the person has typed since the box was last changed by another party.
        var typed = ""
        var isConnected = true
        var generation = 0
        var delay: Int
        var minInterval: Int
        /// The value that the daemon has sent to this client last.
        var known: String?
        var nextFrame = 0
        var isFramePending = false
        /// Connections keep the order of their messages.
        var lastArrival = 0
        var lastDeparture = 0
        /// The number of input requests whose reply is outstanding.
        var underWay = 0
    }

    enum Event {
        case type(Int)
        case cut(Int)
        case connect(Int)
        case toDaemon(Int, Int, FieldMachine<String>.Action?)
        case toClient(Int, Int, Message)
        case flush(Int, Int)
    }

    let rule: Rule
    var random: Seeded
    var now = 0
    var events: [(time: Int, number: Int, event: Event)] = []
    var number = 0
    var output = ""
    /// The number of keys.
    var keys = 0
    var clients: [Client] = []
    var faults: [String] = []

    typealias Rule = FieldPropertyTests.Rule

    init(_ rule: Rule, _ writers: Int, _ seed: UInt64) {
        self.rule = rule
        random = Seeded(seed, for: nil)
        for index in 0..<writers {
            clients.append(
                Client(
                    delay: Int.random(in: 0...500, using: &random),
                    minInterval: Bool.random(using: &random) ? 0 : Int.random(in: 1...400, using: &random)
                )
            )
            add(0, .connect(index))
            var time = 0
            for _ in 0..<Int.random(in: 1...25, using: &random) {
                time += Int.random(in: 0...200, using: &random)
                add(time, .type(index))
            }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                add(Int.random(in: 0...4000, using: &random), .cut(index))
            }
        }
    }

    mutating func add(_ delay: Int, _ event: Event) {
        number += 1
        events.append((now + delay, number, event))
    }

    mutating func run() {
        while let next = events.min(by: { ($0.time, $0.number) < ($1.time, $1.number) }) {
            events.removeAll { $0.number == next.number }
            now = next.time
            handle(next.event)
        }
        for (index, client) in clients.enumerated() {
            if !client.machine.isSettled { faults.append("client \(index) is not settled") }
            if client.machine.shown != output {
                faults.append("client \(index) shows \(client.machine.shown ?? "nothing"), the output is \(output)")
            }
        }
        if clients.count == 1, [.echo, .upperCase].contains(rule), output.count != keys {
            faults.append("\(keys) keys, the output is \(output)")
        }
    }

    mutating func handle(_ event: Event) {
        switch event {
        case .type(let index): type(index)
        case .cut(let index): cut(index)
        case .connect(let index):
            clients[index].isConnected = true
            send(index, nil)
        case .toDaemon(let index, let generation, let action):
            guard clients[index].generation == generation else { return }
            receive(index, action)
        case .toClient(let index, let generation, let message):
            guard clients[index].generation == generation else { return }
            deliver(index, message)
        case .flush(let index, let generation):
            guard clients[index].generation == generation, clients[index].isFramePending else { return }
            frame(index)
        }
    }

    /// A key: a letter or a blank at the caret.
    mutating func type(_ index: Int) {
        let key: Character = Int.random(in: 0..<5, using: &random) == 0 ? " " : "x"
        let shown = clients[index].machine.shown ?? ""
        let caret = min(clients[index].caret, shown.count)
        let place = shown.index(shown.startIndex, offsetBy: caret)
        let text = String(shown[..<place]) + String(key) + String(shown[place...])
        clients[index].caret = caret + 1
        clients[index].typed = text
        keys += 1
        clients[index].machine.edit(text)
        if clients[index].machine.shown != text { faults.append("the key at \(now) is not shown") }
        advance(index)
    }

    mutating func cut(_ index: Int) {
        guard clients[index].isConnected else { return }
        clients[index].isConnected = false
        clients[index].generation += 1
        clients[index].underWay = 0
        clients[index].known = nil
        clients[index].isFramePending = false
        show(index) { $0.disconnected() }
        add(Int.random(in: 1...1000, using: &random), .connect(index))
    }

    mutating func advance(_ index: Int) {
        guard clients[index].isConnected, let action = clients[index].machine.nextAction() else { return }
        if case .send = action { clients[index].underWay += 1 }
        if clients[index].underWay > 1 { faults.append("two requests are under way at \(now)") }
        send(index, action)
    }

    /// Applies an event to a field; without an event of another writer the text must not change under the caret.
    mutating func show(_ index: Int, _ event: (inout FieldMachine<String>) -> Void) {
        let old = clients[index].machine.shown
        event(&clients[index].machine)
        guard let new = clients[index].machine.shown, new != old else { return }
        clients[index].caret = TextCaret.moved(clients[index].caret, from: old ?? "", to: new)
        if clients.count == 1, rule == .echo, let old, clients[index].typed != new {
            faults.append("the box jumped from \(old) to \(new) at \(now)")
        }
    }

    /// Sends a request of the client, or for nil the request that binds.
    mutating func send(_ index: Int, _ action: FieldMachine<String>.Action?) {
        let stall = Int.random(in: 0..<10, using: &random) == 0 ? 700 : 0
        let arrival = max(clients[index].lastDeparture, now + clients[index].delay + stall)
        clients[index].lastDeparture = arrival
        add(arrival - now, .toDaemon(index, clients[index].generation, action))
    }

    mutating func post(_ index: Int, _ message: Message) {
        let stall = Int.random(in: 0..<10, using: &random) == 0 ? 700 : 0
        let arrival = max(clients[index].lastArrival, now + clients[index].delay + stall)
        clients[index].lastArrival = arrival
        add(arrival - now, .toClient(index, clients[index].generation, message))
    }

    /// The daemon receives a request.
    mutating func receive(_ index: Int, _ action: FieldMachine<String>.Action?) {
        switch action {
        case .send(let text):
            guard let new = rule.apply(text, to: output) else { return post(index, .refusal) }
            if new != output {
                output = new
                for other in clients.indices where clients[other].known != nil { change(other) }
            }
            post(index, .reply(isHeld: clients[index].isFramePending))
        case .read:
            clients[index].known = output
            post(index, .output(output))
        case nil:
            clients[index].known = output
            clients[index].nextFrame = now
            post(index, .bound(output))
        }
    }

    /// The output has changed: a frame follows at once or after the interval.
    mutating func change(_ index: Int) {
        if clients[index].isFramePending { return }
        clients[index].isFramePending = true
        if now >= clients[index].nextFrame {
            frame(index)
        } else {
            add(clients[index].nextFrame - now, .flush(index, clients[index].generation))
        }
    }

    mutating func frame(_ index: Int) {
        clients[index].isFramePending = false
        clients[index].nextFrame = now + clients[index].minInterval
        guard clients[index].known != output else { return }
        clients[index].known = output
        post(index, .frame(output))
    }

    /// The client receives a message.
    mutating func deliver(_ index: Int, _ message: Message) {
        show(index) { machine in
            switch message {
            case .frame(let output): machine.outputChanged(output)
            case .reply(let isHeld): machine.inputAnswered(isHeld: isHeld)
            case .refusal: machine.inputAnswered(isHeld: true)
            case .output(let output): machine.outputRead(output)
            case .bound(let output): machine.restored(output)
            }
        }
        if case .reply = message { clients[index].underWay -= 1 }
        if case .refusal = message { clients[index].underWay -= 1 }
        advance(index)
    }
}
