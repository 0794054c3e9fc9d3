import ViewModelContract

extension PythonClient {
    /// The attributes of a session: the default instances, and the methods that open others.
    struct SessionMember {
        let viewModel: PythonViewModel
        let instance: String
        /// The attribute of the default instance.
        let attribute: String
        /// The method that opens an instance; nil for a built-in type.
        let opening: String?
    }

    static func members(_ types: [PythonViewModel], _ given: inout GeneratedNames) -> [SessionMember] {
        var scope = PythonNames(reserved: PythonNames.session)
        let hosted = types.filter { $0.type.instance != nil }
        let attributes = scope.members(hosted.compactMap(\.type.instance))
        return zip(hosted, attributes).map { viewModel, attribute in
            let type = viewModel.type
            let opening = type.isBuiltIn ? nil : scope.member("open_\(attribute)")
            given.add(attribute, at: type.name, "attribute")
            if let opening { given.add(opening, at: type.name, "opening") }
            return SessionMember(
                viewModel: viewModel,
                instance: type.instance ?? type.name,
                attribute: attribute,
                opening: opening
            )
        }
    }

    /// Returns the class of a session.
    func session(_ members: [SessionMember]) -> [String] {
        // A contract that was written by hand may lack types of the daemon, whose hash is another one then.
        let hash = contract.isComplete ? contract.hash : ""
        var lines = ["class Session(Client):"]
        lines += PythonText.docstring(
            """
            A session of \(daemon). Its attributes are the default instances of the ViewModels.

            Use it as `async with Session("desk") as desk:`, or without asyncio as
            `with Session("desk").sync() as desk:`.
            """,
            indent: 4
        )
        lines += ["", "    contract = \(PythonText.literal(hash))", "    daemon_name = \(PythonText.literal(daemon))"]
        lines += ["", "    def sync(self) -> SyncSession:"]
        lines += ["        \"\"\"Connects, and returns the session with methods that block.\"\"\""]
        lines += ["        return SyncSession(self)"]
        return lines + members.flatMap { instances($0, isSynchronous: false) }
    }

    /// Returns the class of a session whose methods block.
    func synchronousSession(_ members: [SessionMember]) -> [String] {
        var lines = ["class SyncSession(SyncClient):"]
        lines += PythonText.docstring(
            "A session of \(daemon) with methods that block: `with Session(\"desk\").sync() as desk:`.",
            indent: 4
        )
        lines += ["", "    def __init__(self, target: Session):", "        super().__init__(target)"]
        lines += ["        self.session = target"]
        return lines + members.flatMap { instances($0, isSynchronous: true) }
    }

    /// Returns the attribute of a default instance, and the method that opens others.
    private func instances(_ member: SessionMember, isSynchronous: Bool) -> [String] {
        let viewModel = member.viewModel
        let (target, parameters) = (viewModel.names.viewModel, viewModel.arguments)
        let name = isSynchronous ? viewModel.names.sync : target
        let instance = isSynchronous ? "self.session.\(member.attribute)" : PythonText.literal(member.instance)
        var lines = ["", "    @property", "    def \(member.attribute)(self) -> \(name):"]
        lines += PythonText.docstring(String(viewModel.type.description.prefix { $0 != "\n" }), indent: 8)
        lines.append("        return \(name)(self, \(instance))")
        guard let opening = member.opening else { return lines }

        let given = parameters.declarations
        let choice = ["self", "id: str | None = None"] + (given.isEmpty ? [] : ["*"] + given)
        let start = isSynchronous ? "def \(opening)" : "async def \(opening)"
        lines += [""] + PythonText.signature(start, choice, name, indent: 4)
        lines += PythonText.docstring("Opens an instance of `\(target)`, or finds the one with this id.", indent: 8)
        if isSynchronous {
            let call = "return \(name)(self, self.wait_for(self.session.\(opening)("
            return lines + PythonText.list(call, ["id"] + parameters.names.map { "\($0)=\($0)" }, ")))", indent: 8)
        }
        let type = [PythonText.literal(viewModel.type.name), "id"].map { text in
            { PythonText.list(text, [], "", indent: $0) }
        }
        let arguments = type + (given.isEmpty ? [] : [parameters.expression])
        return lines + PythonText.call("return \(name)(self, await self.open(", arguments, "))", indent: 8)
    }
}
