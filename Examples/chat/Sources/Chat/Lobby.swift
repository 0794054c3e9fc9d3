import ChatModel
import ViewModelKit

/// The rooms of the chat.
@ViewModel
public final class Lobby {
    /// A room in the list.
    @Schemable
    struct Row: Identifiable {
        let id: String
        let name: String
        /// The number of messages that the user has not read.
        let unread: Int
    }

    /// The searched text, as it is typed.
    @Field var search = ""
    /// The rooms whose names contain it, by name.
    @Rows var rooms: [Row] {
        let found = messenger.rooms.filter { search.isEmpty || $0.name.localizedCaseInsensitiveContains(search) }
        return found.sorted { $0.name < $1.name }.map { room in
            Row(id: room.id, name: room.name, unread: messenger.unread(in: room))
        }
    }
    /// The number of messages in all rooms that the user has not read.
    @Output var unread: Int { messenger.rooms.reduce(0) { $0 + messenger.unread(in: $1) } }
    /// Whether messages arrive.
    @Output var isOnline: Bool { messenger.isOnline }

    private let messenger: Messenger
}
