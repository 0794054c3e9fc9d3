/// An entry of the coordinator's stack.
@Schemable
public struct Scene: Identifiable, Sendable {
    /// The way in which a scene was added to the stack.
    @Schemable
    public enum Style: String, CaseIterable, Sendable {
        /// The scene at the bottom of the stack.
        case root
        /// A scene that was pushed onto the one below it.
        case push
        /// A scene that was presented above the ones below it.
        case present
    }

    /// The entry's id, unique in its session.
    public let id: String
    /// The scene's name.
    public let scene: String
    /// The way in which the scene was added.
    public let style: Style
    /// The instance that the scene shows, if it has a ViewModel.
    public let instance: String?
    /// The arguments of the scene, as an object.
    public let arguments: JSON

    static var root: Scene {
        Scene(id: "root", scene: "root", style: .root, instance: nil, arguments: .emptyObject)
    }

    /// The longest arguments of a deep link, in bytes of JSON text.
    static let longestArguments = 65536

    /// The bytes of the arguments that count towards `limits.bytesPerUser`.
    var heldBytes: Int { HeldBytes.counted(arguments.text.utf8.count) }

    /// The prefix of the ids of opened scenes.
    static let idPrefix = "scene-"

    /// The number in the id of an opened scene, or nil for the root.
    var number: Int? {
        guard id.hasPrefix(Self.idPrefix) else { return nil }
        return Int(id.dropFirst(Self.idPrefix.count))
    }

    /// Returns whether saved scenes are valid for the coordinator: the root, then opened scenes, with unique ids.
    static func areValid(_ scenes: [Scene]) -> Bool {
        guard scenes.first == .root, Set(scenes.map(\.id)).count == scenes.count else { return false }
        return scenes.dropFirst().allSatisfy { scene in
            scene.style != .root && (1...Int(Int32.max)).contains(scene.number ?? 0)
        }
    }
}

/// The scenes of a daemon as the cases of an enum, so that the compiler finds an unknown one.
///
///     enum ShopScene: String, SceneName { case receipt, settings }
///
///     catalog.scenes(ShopScene.self)
///     coordinator.present(ShopScene.receipt)
public protocol SceneName: RawRepresentable<String>, CaseIterable, Sendable {
    /// The id of the instance that the scene shows, or nil.
    ///
    /// The default is nil.
    var instance: String? { get }
}

extension SceneName {
    /// Nil: the scene shows no instance.
    public var instance: String? { nil }
}

/// The params of `coordinator.open`.
@Schemable
package struct SceneRequest: Sendable {
    /// The name of a registered scene.
    package let scene: String
    /// The arguments of the scene.
    ///
    /// The default is `{}`.
    package let arguments: JSON?
}

/// The result of `coordinator.open`.
@Schemable
package struct OpenedScene: Sendable {
    /// The id of the new entry in `scenes`.
    package let id: String

    package init(id: String) {
        self.id = id
    }
}
