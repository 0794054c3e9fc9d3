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

    static func members(_ types: [PythonViewModel]) -> [SessionMember] {
        var scope = PythonNames(reserved: PythonNames.session)
        let hosted = types.compactMap { type in type.type.instance.map { (type, $0, scope.member($0)) } }
        return hosted.map { viewModel, instance, attribute in
            SessionMember(
                viewModel: viewModel,
                instance: instance,
                attribute: attribute,
                opening: viewModel.type.isBuiltIn ? nil : scope.member("open_\(attribute)")
            )
        }
    }

    /// Returns the class of a session.
    func session(_ types: [PythonViewModel]) -> [String] {
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
        lines += [
            "", "    contract = \(PythonText.literal(hash))", "    daemon_name = \(PythonText.literal(daemon))", "",
        ]
        lines += ["    def sync(self) -> SyncSession:"]
        lines += ["        \"\"\"Connects, and returns the session with methods that block.\"\"\""]
        lines += ["        return SyncSession(self)"]
        for member in Self.members(types) {
            let name = member.viewModel.names.viewModel
            lines += ["", "    @property", "    def \(member.attribute)(self) -> \(name):"]
            lines += PythonText.docstring(String(member.viewModel.type.description.prefix { $0 != "\n" }), indent: 8)
            lines.append("        return \(name)(self, \(PythonText.literal(member.instance)))")
            guard let opening = member.opening else { continue }
            let parameters = member.viewModel.arguments
            lines +=
                [""]
                + PythonText.signature(
                    "async def \(opening)",
                    Self.choice(parameters),
                    name,
                    indent: 4
                )
            lines += PythonText.docstring(
                "Opens an instance of `\(name)`, or finds the one with this id.",
                indent: 8
            )
            let type = PythonText.literal(member.viewModel.type.name)
            let start = [type, "id"].map { text in { PythonText.list(text, [], "", indent: $0) } }
            let arguments = start + (parameters.declarations.isEmpty ? [] : [parameters.expression])
            lines += PythonText.call("return \(name)(self, await self.open(", arguments, "))", indent: 8)
        }
        return lines
    }

    /// Returns the class of a session whose methods block.
    func synchronousSession(_ types: [PythonViewModel]) -> [String] {
        var lines = ["class SyncSession(SyncClient):"]
        lines += PythonText.docstring(
            "A session of \(daemon) with methods that block: `with Session(\"desk\").sync() as desk:`.",
            indent: 4
        )
        lines += ["", "    client: Session"]
        for member in Self.members(types) {
            let name = member.viewModel.names.sync
            lines += ["", "    @property", "    def \(member.attribute)(self) -> \(name):"]
            lines += PythonText.docstring(String(member.viewModel.type.description.prefix { $0 != "\n" }), indent: 8)
            lines.append("        return \(name)(self, self.client.\(member.attribute))")
            guard let opening = member.opening else { continue }
            let parameters = member.viewModel.arguments
            lines +=
                [""]
                + PythonText.signature(
                    "def \(opening)",
                    Self.choice(parameters),
                    name,
                    indent: 4
                )
            lines += PythonText.docstring(
                "Opens an instance of `\(member.viewModel.names.viewModel)`, or finds the one with this id.",
                indent: 8
            )
            let given = ["id"] + parameters.names.map { "\($0)=\($0)" }
            lines += PythonText.list(
                "return \(name)(self, self.wait_for(self.client.\(opening)(",
                given,
                ")))",
                indent: 8
            )
        }
        return lines
    }

    /// Returns the declarations of a method that opens an instance.
    private static func choice(_ arguments: PythonMethod.Parameters) -> [String] {
        let given = arguments.declarations
        return ["self", "id: str | None = None"] + (given.isEmpty ? [] : ["*"] + given)
    }
}
