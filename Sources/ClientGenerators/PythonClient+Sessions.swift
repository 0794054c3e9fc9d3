import ViewModelContract

/// The classes of a session, as the template shows them.
extension PythonClient {
    /// The attributes of a session: the default instances, and the methods that open others.
    ///
    /// A built-in type has no such method.
    typealias SessionMember = (viewModel: PythonViewModel, instance: String, attribute: String, opening: String?)

    static func members(_ types: [PythonViewModel], _ given: inout GeneratedNames) -> [SessionMember] {
        var scope = PythonScope(reserved: PythonNames.session)
        let hosted = types.filter { $0.type.instance != nil }
        let attributes = scope.members(hosted.compactMap(\.type.instance))
        return zip(hosted, attributes).map { viewModel, attribute in
            let type = viewModel.type
            let opening = type.isBuiltIn ? nil : scope.member("open_\(attribute)")
            given.add(attribute, at: type.name, "attribute")
            if let opening { given.add(opening, at: type.name, "opening") }
            return (viewModel, type.instance ?? type.name, attribute, opening)
        }
    }

    func session(_ members: [SessionMember]) -> Values {
        let doc = PythonText.docstring(
            """
            A session of \(daemon). Its attributes are the default instances of the ViewModels.

            Use it as `async with Session("desk") as desk:`, or without asyncio as
            `with Session("desk").sync() as desk:`.
            """,
            indent: 4
        )
        // A contract that was written by hand may lack types of the daemon, whose hash is another one then.
        let hash = PythonText.literal(contract.isComplete ? contract.hash : "")
        return [
            "session": "true", "doc": doc, "hash": hash, "daemonName": PythonText.literal(daemon),
            "instances": members.map { instance($0, isSynchronous: false) },
        ]
    }

    /// Returns the class of a session whose methods block.
    func synchronousSession(_ members: [SessionMember]) -> Values {
        let doc = PythonText.docstring(
            "A session of \(daemon) with methods that block: `with Session(\"desk\").sync() as desk:`.",
            indent: 4
        )
        return ["syncSession": "true", "doc": doc, "instances": members.map { instance($0, isSynchronous: true) }]
    }

    /// Returns the attribute of a default instance, and the method that opens others.
    private func instance(_ member: SessionMember, isSynchronous: Bool) -> Values {
        let viewModel = member.viewModel
        let (target, parameters) = (viewModel.names.viewModel, viewModel.arguments)
        let name = isSynchronous ? viewModel.names.sync : target
        var values: Values = [
            "attribute": member.attribute, "type": name,
            "doc": PythonText.docstring(String(viewModel.type.description.prefix { $0 != "\n" }), indent: 8),
            "instance": isSynchronous ? "self.session.\(member.attribute)" : PythonText.literal(member.instance),
        ]
        guard let opening = member.opening else { return values }

        let given = parameters.declarations
        let choice = ["self", "id: str | None = None"] + (given.isEmpty ? [] : ["*"] + given)
        let start = isSynchronous ? "def \(opening)" : "async def \(opening)"
        values["opening"] = PythonText.signature(start, choice, name, indent: 4)
        values["openingDoc"] = PythonText.docstring(
            "Opens an instance of `\(target)`, or finds the one with this id.",
            indent: 8
        )
        if isSynchronous {
            let call = "return \(name)(self, self.wait_for(self.session.\(opening)("
            let arguments = ["id"] + parameters.names.map { "\($0)=\($0)" }
            values["call"] = PythonText.list(call, arguments, ")))", indent: 8)
        } else {
            let type = [PythonText.literal(viewModel.type.name), "id"].map { text in { (_: Int) in text } }
            let arguments = type + (given.isEmpty ? [] : [parameters.expression])
            values["call"] = PythonText.call("return \(name)(self, await self.open(", arguments, "))", indent: 8)
        }
        return values
    }
}
