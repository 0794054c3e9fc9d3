/// An entry of the coordinator's stack.
public struct Scene: Codable, Equatable, Identifiable, Sendable {
    /// How a scene came onto the stack.
    public enum Style: String, Codable, CaseIterable, Sendable {
        /// The scene at the bottom.
        case root
        /// Pushed onto the one below.
        case push
        /// Presented above the ones below.
        case present
    }

    /// The entry's id, unique in its session.
    public let id: String
    /// The scene's name.
    public let scene: String
    /// How it came onto the stack.
    public let style: Style
    /// The instance that the scene shows, if it has a ViewModel.
    public let instance: String?
    /// What the scene was opened with: an object.
    public let arguments: JSON

    static var root: Scene {
        Scene(id: "root", scene: "root", style: .root, instance: nil, arguments: .emptyObject)
    }

    /// The longest arguments of a deep link, in bytes of JSON text.
    static let longestArguments = 65536

    /// The bytes that the arguments hold for their user; 0 for the few of most scenes.
    var heldBytes: Int { Self.heldBytes(of: arguments) }

    static func heldBytes(of arguments: JSON) -> Int {
        let count = arguments.text.utf8.count
        return count > 1024 ? count : 0
    }

    /// What the ids of opened scenes begin with.
    static let idPrefix = "scene-"

    /// The number in the id of an opened scene, nil for the root.
    var number: Int? {
        guard id.hasPrefix(Self.idPrefix) else { return nil }
        return Int(id.dropFirst(Self.idPrefix.count))
    }

    /// Whether saved scenes can be the coordinator's: the root, then opened ones, each with an id of its own.
    static func areSound(_ scenes: [Scene]) -> Bool {
        guard scenes.first == .root, Set(scenes.map(\.id)).count == scenes.count else { return false }
        return scenes.dropFirst().allSatisfy { scene in
            scene.style != .root && (1...Int(Int32.max)).contains(scene.number ?? 0)
        }
    }
}

/// What `coordinator.open` takes.
public struct SceneRequest: Codable, Sendable {
    /// The name of a registered scene.
    public let scene: String
    /// What the scene is opened with, `{}` when left out.
    public let arguments: JSON?
}

/// What `coordinator.open` gives.
public struct OpenedScene: Codable, Sendable {
    /// The id of the new entry in `scenes`.
    public let id: String

    /// Names an entry.
    public init(id: String) {
        self.id = id
    }
}
