import Synchronization
import TestSupport
import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

/// An element that counts how often it is looked at.
private struct Counted: Identifiable, Equatable {
    final class Visits: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
        func add() { count.add(1, ordering: .relaxed) }
    }

    let number: Int
    var text = ""
    let visits: Visits

    var id: Int {
        visits.add()
        return number
    }

    static func == (left: Counted, right: Counted) -> Bool {
        left.visits.add()
        return left.number == right.number && left.text == right.text
    }
}

@Suite struct `The messages in memory` {
    private static func message(_ id: String, _ status: OutboxItem.Status = .queued) -> OutboxMessage {
        OutboxMessage(OutboxItem(id: id, text: "text \(id)", status: status, attempts: 0, problem: nil))
    }

    /// The list that a session has after the changes since a revision.
    private static func follow(_ content: OutboxContent, _ list: inout [OutboxMessage], _ revision: inout Int) -> Int {
        guard let changes = content.changes(since: revision) else { return 0 }
        revision = changes.revision
        switch changes.content {
        case .messages(let all):
            list = all
            return all.count
        case .edits(let edits):
            for edit in edits {
                switch edit {
                case .insert(let message, let index): list.insert(message, at: index)
                case .remove(let index): list.remove(at: index)
                case .replace(let message, let index): list[index] = message
                case .move(let source, let target): list.insert(list.remove(at: source), at: target)
                }
            }
            return edits.count
        }
    }

    /// The rows that a session is told while messages are added and delivered, oldest first, and the last 200 sent ones stay.
    private static func rowsTold(of count: Int) -> Int {
        var content = OutboxContent()
        content.load([])
        var (list, revision, told) = ([OutboxMessage](), 0, 0)
        for number in 0..<count { content.append(message("\(number)")) }
        told += follow(content, &list, &revision)
        for number in 0..<count {
            for status in [OutboxItem.Status.sending, .sending, .sent] {
                let isKnown = content.replace(message("\(number)", status))
                #expect(isKnown)
                told += follow(content, &list, &revision)
            }
            if number >= 200 { content.remove("\(number - 200)") }
            told += follow(content, &list, &revision)
            #expect(content.queued == count - number - 1)
        }
        #expect(list == content.messages && list.count == min(count, 200))
        return told
    }

    @Test func `what a session is told grows like the number of messages`() {
        let (one, two) = (Self.rowsTold(of: 2_000), Self.rowsTold(of: 4_000))
        #expect(two <= 2 * one + 1_000)
        #expect(one <= 4 * 2_000)
    }

    @Test func `a change looks at no other element`() {
        func visits(_ count: Int) -> Int {
            let visits = Counted.Visits()
            var list = IndexedList((0..<count).map { Counted(number: $0, visits: visits) })
            for number in 0..<count {
                guard let index = list.index(of: number) else { continue }
                list.replace(Counted(number: number, text: "new", visits: visits), at: index)
                if number % 2 == 0 { _ = list.remove(at: index) }
                list.append(Counted(number: count + number, visits: visits))
            }
            return visits.value
        }
        #expect(visits(4_000) == 2 * visits(2_000))
    }

    @Test(arguments: 0..<20)
    func `an element is found by its id after any changes`(seed: Int) {
        var random = Seeded(UInt64(seed))
        var list = IndexedList((0..<10).map { Counted(number: $0, visits: .init()) })
        var (expected, next) = (Array(0..<10), 10)
        for _ in 0..<500 {
            if expected.isEmpty || Bool.random(using: &random) {
                list.append(Counted(number: next, visits: .init()))
                expected.append(next)
                next += 1
            } else {
                let index = Int.random(in: 0..<expected.count, using: &random)
                let (removed, number) = (list.remove(at: index), expected.remove(at: index))
                #expect(removed.number == number)
            }
            #expect(list.elements.map(\.number) == expected)
            for (index, number) in expected.enumerated() { #expect(list.index(of: number) == index) }
            #expect(list.index(of: next) == nil)
        }
    }

    @Test func `a session that is far behind gets all messages`() {
        var content = OutboxContent()
        content.load([Self.message("a")])
        var (list, revision) = ([OutboxMessage](), 0)
        _ = Self.follow(content, &list, &revision)
        for number in 0..<3_000 { _ = content.replace(Self.message("a", number % 2 == 0 ? .sending : .failed)) }
        #expect(Self.follow(content, &list, &revision) == 1)
        #expect(list == content.messages && content.changes(since: revision) == nil)
        content.unload()
        _ = Self.follow(content, &list, &revision)
        #expect(list.isEmpty && content.queued == 0 && content.failed == 0 && content.bytes == 0)
    }

    @Test func `equal messages are no change, and a known id is not added twice`() {
        var content = OutboxContent()
        content.load([Self.message("a")])
        let revision = content.revision
        content.append(Self.message("a", .failed))
        let (isKnown, isUnknown) = (content.replace(Self.message("a")), content.replace(Self.message("b")))
        #expect(isKnown && !isUnknown)
        content.remove("b")
        content.load([Self.message("a")])
        #expect(content.revision == revision && content.message("a")?.status == .queued)
    }
}
