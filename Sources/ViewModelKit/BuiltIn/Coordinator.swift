package import JSONRPC

/// Navigation: the stack of scenes that this session shows, with the top scene last.
///
/// ViewModels do not draw. They request a transition, and each client shows the top scene in its own way.
@ViewModel
public final class Coordinator {
    /// The scenes from the root to the top scene.
    @Output var scenes: Rows<Scene> { stack }
    private let stack: Rows<Scene>
    private let registered: [ExactString: String?]
    private var opened = 0
    private var limit: Int { stack.graph.host.sceneLimit }

    /// Creates the coordinator of a session, with its saved scenes if they are valid.
    ///
    /// - Parameter registered: the scenes that clients can open by name, with the id of the instance that each one
    ///   shows.
    package init(scenes registered: [ExactString: String?]) {
        self.registered = registered
        stack = Rows([.root], restoring: "scenes")
        if !Scene.areValid(stack.value) {
            let key = RestorableKey(persistence: .session, owner: "coordinator", name: "scenes")
            stack.graph.host.report(unread: key, of: "coordinator", "the scenes do not follow each other")
            stack.setInitialRows([.root])
        }
        opened = stack.value.compactMap(\.number).max() ?? 0
        let restored = stack.value.reduce(0) { $0 + $1.heldBytes }
        if restored > 0 { stack.graph.host.count(heldBytes: restored) }
    }

    /// The top scene.
    public var top: Scene { stack[stack.count - 1] }

    /// Pushes a scene.
    ///
    /// It shows `instance`, or by default the instance with which the scene is registered.
    ///
    /// If `limits.scenes` scenes are shown already, the call only writes a line to the log. An action that returns the
    /// id then throws ``limitExceeded``.
    ///
    /// - Parameters:
    ///   - scene: the scene's name.
    ///   - instance: the id of the instance that the scene shows.
    ///   - arguments: an object for the client.
    /// - Returns: the id of the new entry, or nil if the scene was refused.
    @discardableResult
    public func push(_ scene: String, instance: String? = nil, arguments: JSON = .emptyObject) -> String? {
        show(scene, style: .push, instance: instance, arguments: arguments)
    }

    /// Presents a scene above the others, under the rules of a push.
    @discardableResult
    public func present(_ scene: String, instance: String? = nil, arguments: JSON = .emptyObject) -> String? {
        show(scene, style: .present, instance: instance, arguments: arguments)
    }

    /// Pushes a scene of an enum, as a push of its name.
    @discardableResult
    public func push(_ scene: some SceneName, instance: String? = nil, arguments: JSON = .emptyObject) -> String? {
        push(scene.rawValue, instance: instance ?? scene.instance, arguments: arguments)
    }

    /// Presents a scene of an enum above the others, under the rules of a push.
    @discardableResult
    public func present(_ scene: some SceneName, instance: String? = nil, arguments: JSON = .emptyObject) -> String? {
        present(scene.rawValue, instance: instance ?? scene.instance, arguments: arguments)
    }

    /// The error for an action whose scene was refused because `limits.scenes` scenes are shown.
    public var limitExceeded: LimitExceeded { LimitExceeded(limit: "limits.scenes", value: limit) }

    private var canGoBack: Bool { stack.count > 1 }

    /// Pops or dismisses the top scene.
    @Action(enabled: \Coordinator.canGoBack)
    public func back() {
        // A ViewModel may call it at the root.
        guard canGoBack else { return }
        let scene = stack.remove(at: stack.count - 1)
        if scene.heldBytes > 0 { stack.graph.host.count(heldBytes: -scene.heldBytes) }
    }

    /// Pushes a registered scene, for example for a deep link.
    @Action
    func open(_ request: SceneRequest) throws -> OpenedScene {
        guard registered[ExactString(request.scene)] != nil else {
            throw InvalidValue(
                path: "/scene",
                expected: "a registered scene",
                value: request.scene,
                suggestions: registered.keys.map(\.string).sorted()
            )
        }
        let arguments = request.arguments ?? .emptyObject
        guard arguments.isObject else {
            throw InvalidValue(path: "/arguments", expected: "an object", value: arguments)
        }
        guard arguments.text.utf8.count <= Scene.longestArguments else {
            throw InvalidValue(
                path: "/arguments",
                expected: "an object of at most \(Scene.longestArguments) bytes",
                found: "\(arguments.text.utf8.count) bytes"
            )
        }
        guard stack.count < limit else { throw limitExceeded }
        try stack.graph.host.checkRoom(for: HeldBytes.counted(arguments.text.utf8.count), isBrief: false)
        guard let id = push(request.scene, arguments: arguments) else { throw limitExceeded }
        return OpenedScene(id: id)
    }

    private func show(_ scene: String, style: Scene.Style, instance: String?, arguments: JSON) -> String? {
        guard stack.count < limit else {
            stack.graph.host.logScene(scene, isRefused: true)
            return nil
        }
        if registered[ExactString(scene)] == nil { stack.graph.host.logScene(scene, isRefused: false) }
        opened += 1
        let id = "\(Scene.idPrefix)\(opened)"
        let shown = instance ?? registered[ExactString(scene)].flatMap { $0 }
        let entry = Scene(id: id, scene: scene, style: style, instance: shown, arguments: arguments)
        stack.append(entry)
        if entry.heldBytes > 0 { stack.graph.host.count(heldBytes: entry.heldBytes) }
        return id
    }
}
