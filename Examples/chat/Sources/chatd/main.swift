import AccountsFeature
import Chat
import ChatModel
import ViewModelDaemon
import ViewModelKit

await ViewModelDaemon(
    "chatd",
    version: "0.1.0",
    features: [.accounts],
    settings: ChatSettings()
) { catalog, _, settings in
    catalog.provide(HTTPChatServer(settings.server))
    try catalog.host(Door.self, Lobby.self, Conversation.self)
}.run()
