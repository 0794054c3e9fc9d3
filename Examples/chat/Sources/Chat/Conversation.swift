import Accounts
import ChatModel
import Foundation
import ViewModelKit

/// A room with its messages, one instance for each room that clients show.
@ViewModel
public final class Conversation {
    /// The arguments of `viewModel.open`.
    @Schemable
    struct Arguments {
        /// The id of the room.
        @Bounds(matching: "^[a-z0-9-]{1,64}$") let room: String
    }

    /// A message, or the place of one that is not loaded: then all but its number is null.
    @Schemable
    struct Line: Identifiable {
        let id: Int
        var author: String?
        var text: String?
        /// The date and the time, for people.
        var time: String?
    }

    /// A message that the server does not have yet.
    @Schemable
    struct Unsent: Identifiable {
        let id: String
        let text: String
        /// Why the server refused it, null while it waits.
        let problem: String?
    }

    /// The name of the room, null before it is loaded.
    @Output var title: String? { info?.name }
    /// All messages, oldest first, loaded in the windows of clients.
    @Output var timeline: Rows<Line> = []
    /// The messages that the server does not have yet.
    @Rows var unsent: [Unsent] {
        outbox.messages.compactMap { message in
            guard message.status != .sent, let letter = try? message.decoded(as: Letter.self), letter.room == room
            else { return nil }
            // A message that waits has a problem, too, if an attempt has failed.
            return Unsent(
                id: message.id,
                text: letter.text,
                problem: message.status == .failed ? message.problem : nil
            )
        }
    }
    /// The text that is being typed, the same in all sessions of the user.
    @Field(.user) var draft = ""
    /// Who types, such as `bob and cleo type …`, null if nobody does.
    @Output var typing: String? {
        let names = messenger.typists(in: room)
        return names.isEmpty ? nil : "\(names.formatted(.list(type: .and))) \(names.count == 1 ? "types" : "type") …"
    }

    private var info: Room? { messenger.rooms[id: room] }
    private var newest: Int { info?.newest ?? 0 }
    private var hasDraft: Bool { !draft.isEmpty }
    /// The first messages in the windows of clients that are not loaded, 200 at most.
    private var missing: Range<Int>? {
        guard messenger.isOnline else { return nil }
        for window in timeline.windows {
            let known = window.clamped(to: 0..<timeline.count)
            guard let first = known.first(where: { timeline[$0].text == nil }) else { continue }
            return first..<min(known.upperBound, first + 200)
        }
        return nil
    }
    private let room: String
    private let messenger: Messenger
    private let outbox: SessionOutbox

    init(_ arguments: Arguments, messenger: Messenger, outbox: SessionOutbox) {
        room = arguments.room
        self.messenger = messenger
        self.outbox = outbox
        $draft.keep(for: room)
        inputs.draft.throttle(for: .seconds(3)).sink { [unowned self] _ in $tell.run() }
    }

    /// Marks the messages up to this one as read.
    @Input func markRead(_ id: Int) { messenger.markRead(id, in: room) }

    /// Sends the draft, now or as soon as the server can be reached.
    @Action(enabled: \Conversation.hasDraft)
    func send(_ execution: Execution) async throws {
        let text = draft
        try await outbox.add(encoding: Letter(room: room, text: text), retryKey: execution.retryKey)
        // The user may have typed on while the message was written to the disk.
        if draft == text { draft = "" }
    }

    /// Sends a message again that the server has refused.
    @Action func retry(id: String) async throws { try await outbox.retry(id) }

    /// Removes a message that the server does not have yet.
    @Input func discard(_ id: String) throws { try outbox.remove(id) }

    /// Has a line for each message, loaded or not.
    @Action(runs: [.atOpen, .onChange(of: \Conversation.newest)])
    private func grow() {
        if newest < timeline.count { timeline.removeAll() }
        timeline += (timeline.count..<newest).map { Line(id: $0 + 1) }
    }

    /// Loads what clients see.
    @Action(.latest, runs: .onChange(of: \Conversation.missing))
    private func load(_ execution: Execution) async throws {
        guard let missing else { return }
        let messages = try await execution.retry(3, after: .seconds(1)) {
            try await messenger.messages(in: room, from: missing.lowerBound + 1, count: missing.count)
        }
        for message in messages {
            let time = message.time.formatted(date: .abbreviated, time: .shortened)
            try timeline.update(id: message.id) { line in
                line = Line(id: message.id, author: message.author, text: message.text, time: time)
            }
        }
    }

    /// Tells the others that the user types.
    @Action(.shared)
    private func tell() async throws {
        guard hasDraft, messenger.isOnline else { return }
        try await messenger.tellTyping(in: room)
    }
}
