import Testing
import ViewModelKit
import ViewModelStorage

@testable import Accounts

@Suite struct `The messages in memory` {
    private static func message(_ id: String, _ status: OutboxMessage.Status = .queued) -> OutboxMessage {
        OutboxMessage(id: id, text: "text \(id)", status: status, attempts: 0, problem: nil)
    }

    /// The list that a session has after the changes since a revision.
    private static func follow(_ content: OutboxContent, _ list: inout [OutboxMessage], _ revision: inout Int) -> Int {
        guard let changes = content.changes(since: revision) else { return 0 }
        revision = changes.revision
        list = changes.messages ?? list
        for edit in changes.edits {
            switch edit {
            case .insert(let message, let index): list.insert(message, at: index)
            case .remove(let index): list.remove(at: index)
            case .replace(let message, let index): list[index] = message
            case .move(let source, let target): list.insert(list.remove(at: source), at: target)
            }
        }
        return (changes.messages ?? []).count + changes.edits.count
    }

    /// The rows that a session gets while messages are added and delivered, oldest first, and the last 200 sent ones stay.
    private static func rowsSent(of count: Int) -> Int {
        var content = OutboxContent()
        content.load([])
        var (list, revision, sent) = ([OutboxMessage](), 0, 0)
        for number in 0..<count { content.append(message("\(number)")) }
        sent += follow(content, &list, &revision)
        for number in 0..<count {
            for status in [OutboxMessage.Status.sending, .sending, .sent] {
                let isKnown = content.replace(message("\(number)", status))
                #expect(isKnown)
                sent += follow(content, &list, &revision)
            }
            if number >= 200 { content.remove("\(number - 200)") }
            sent += follow(content, &list, &revision)
            #expect(content.queued == count - number - 1)
        }
        #expect(list == content.messages && list.count == min(count, 200))
        return sent
    }

    @Test func `what a session gets grows like the number of messages`() {
        let (one, two) = (Self.rowsSent(of: 2_000), Self.rowsSent(of: 4_000))
        #expect(two <= 2 * one + 1_000)
        #expect(one <= 4 * 2_000)
    }

    @Test func `a session that is far behind gets all messages`() {
        var content = OutboxContent()
        content.load([Self.message("a")])
        var (list, revision) = ([OutboxMessage](), 0)
        _ = Self.follow(content, &list, &revision)
        for number in 0..<3_000 { _ = content.replace(Self.message("a", number % 2 == 0 ? .sending : .failed)) }
        #expect(Self.follow(content, &list, &revision) == 1)
        #expect(list == content.messages && content.changes(since: revision) == nil)
        content.load([])
        _ = Self.follow(content, &list, &revision)
        #expect(list.isEmpty && content.queued == 0 && content.failed == 0)
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
