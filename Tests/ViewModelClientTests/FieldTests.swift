import Testing
import ViewModelClient

/// Fields over a connection.
@Suite(.timeLimit(.minutes(5))) struct FieldTests {
    private static func whole(_ draft: String) -> String {
        #"{"id":"list","epoch":"e","seq":1,"full":true,"values":{"draft":"\#(draft)"}}"#
    }

    /// Runs a test with the field of `list.draft`, which shows a text.
    private func withField(
        _ draft: String = "",
        _ test: (ScriptedDaemon, RemoteField<String>) async throws -> Void
    ) async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let field = client.field("list", "draft", of: String.self)
            let bind = try await daemon.reply(to: "viewModel.bind", Self.whole(draft))
            #expect(bind["params"]?["outputs"] == JSONValue(text: #"["draft"]"#))
            #expect(try await field.settle() == draft)
            try await test(daemon, field)
        }
    }

    @Test func `a field binds its output, sends what is typed and shows what became of it`() async throws {
        try await withField { daemon, field in
            field.edit("a", caret: 1)
            #expect(field.content.value == "a")
            let first = try await daemon.request("list.draft")
            #expect(first["params"] == JSONValue(text: #"{"value":"a"}"#))
            field.edit("ab", caret: 2)
            field.edit("ab ", caret: 3)
            try await daemon.frame(#"{"id":"list","seq":2,"values":{"draft":"A"}}"#)
            try await daemon.answer(first, #"{"seq":2}"#)
            let second = try await daemon.request("list.draft")
            #expect(second["params"] == JSONValue(text: #"{"value":"ab "}"#))
            #expect(field.content.value == "ab ")
            try await daemon.frame(#"{"id":"list","seq":3,"values":{"draft":"AB"}}"#)
            try await daemon.answer(second, #"{"seq":3}"#)
            #expect(try await field.settle() == "AB")
            #expect(field.content.caret == 2)
        }
    }

    @Test(arguments: [(true, #"{"value":{"a":1}}"#), (false, #"{"a":1}"#)])
    func `an object is sent by its members, and as a value if the input's type is not an object`(
        isWrapped: Bool,
        params: String
    ) async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let field = client.field("list", "draft", of: JSONValue.self, isWrapped: isWrapped)
            try await daemon.reply(to: "viewModel.bind", Self.whole(""))
            try await field.settle()
            field.edit(.object(["a": .integer(1)]))
            #expect(try await daemon.request("list.draft")["params"] == JSONValue(text: params))
        }
    }

    @Test func `a call finds what was typed before it, and only the last reply counts`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            let field = client.field("list", "draft", of: String.self)
            try await daemon.reply(to: "viewModel.bind", Self.whole(""))
            try await field.settle()
            field.edit("m")
            let first = try await daemon.request("list.draft")
            field.edit("mi")
            field.edit("milk")
            async let added = client.call("list.add")
            let second = try await daemon.request("list.draft")
            #expect(second["params"] == JSONValue(text: #"{"value":"milk"}"#))
            let call = try await daemon.request("list.add")
            try await daemon.refuse(first, -32602, "Invalid params")
            try await daemon.frame(#"{"id":"list","seq":3,"values":{"draft":"milk"}}"#)
            try await daemon.answer(second, #"{"seq":3}"#)
            #expect(try await field.settle() == "milk")
            try await daemon.frame(#"{"id":"list","seq":4,"values":{"draft":""}}"#)
            try await daemon.answer(call, "null")
            _ = try await added
            for await content in field.changes() where content.value == "" { break }
        }
    }

    @Test func `a held reply makes the client read the output`() async throws {
        try await withField("old") { daemon, field in
            field.edit("new ")
            let input = try await daemon.request("list.draft")
            try await daemon.answer(input, #"{"seq":2,"held":true}"#)
            let read = try await daemon.request("viewModel.read")
            #expect(read["params"] == JSONValue(text: #"{"id":"list","outputs":["draft"]}"#))
            #expect(field.content.value == "new ")
            #expect(!field.content.isSettled)
            try await daemon.answer(read, #"{"id":"list","epoch":"e","seq":2,"values":{"draft":"new"}}"#)
            #expect(try await field.settle() == "new")
        }
    }

    @Test func `a refused value is told, and the box shows the output again`() async throws {
        try await withField("old") { daemon, field in
            field.edit("too long")
            try await daemon.refuse(try await daemon.request("list.draft"), -32602, "Invalid params")
            let read = try await daemon.request("viewModel.read")
            try await daemon.answer(read, #"{"id":"list","epoch":"e","seq":2,"values":{"draft":"old"}}"#)
            await expectError(reply: .invalidParams) { try await field.settle() }
            for await content in field.changes() where content.isSettled {
                #expect(content.value == "old")
                break
            }
            field.edit("short")
            #expect(field.content.failure == nil)
            let input = try await daemon.request("list.draft")
            try await daemon.frame(#"{"id":"list","seq":3,"values":{"draft":"short"}}"#)
            try await daemon.answer(input, #"{"seq":3}"#)
            #expect(try await field.settle() == "short")
        }
    }

    @Test func `a field uses a binding that has its output, and survives it`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            do {
                let binding = client.bind("list", outputs: ["draft", "items"])
                _ = try await daemon.begin(
                    binding,
                    with: #"{"id":"list","epoch":"e","seq":2,"full":true,"values":{"items":[],"draft":"old"}}"#
                )
                let field = client.field("list", "draft", of: String.self)
                #expect(try await field.settle() == "old")
                withExtendedLifetime(binding) {}
                try await daemon.frame(#"{"id":"list","seq":3,"values":{"draft":"third"}}"#)
                for await content in field.changes() where content.value == "third" { break }
            }
            try await daemon.request("viewModel.unbind")
        }
    }

    @Test func `in a session that began anew a field sends again what the person still sees`() async throws {
        try await ScriptedDaemon.withClient(attachedIn: "e") { daemon, client in
            let field = client.field("list", "draft", of: String.self)
            try await daemon.reply(to: "viewModel.bind", Self.whole(""))
            try await field.settle()
            field.edit("milk ")
            let input = try await daemon.request("list.draft")
            try await daemon.frame(#"{"id":"list","seq":2,"values":{"draft":"milk"}}"#)
            try await daemon.answer(input, #"{"seq":2}"#)
            #expect(try await field.settle() == "milk")
            try await daemon.cut()
            try await daemon.reply(to: "session.attach", ScriptedDaemon.attached("f"))
            try await daemon.reply(to: "viewModel.bind", Self.whole("").replacing(#""e""#, with: #""f""#))
            #expect(try await daemon.request("list.draft")["params"] == JSONValue(text: #"{"value":"milk"}"#))
        }
    }

    @Test func `a field of an instance that was closed ends and keeps its value`() async throws {
        try await withField("old") { daemon, field in
            try await daemon.close("list")
            var last: FieldContent<String>?
            for await content in field.changes() { last = content }
            #expect(last?.failure?.code == .bindingEnded)
            #expect(last?.value == "old")
        }
    }

    @Test func `a field that is gone ends its binding`() async throws {
        try await ScriptedDaemon.withClient { daemon, client in
            do {
                let field = client.field("list", "draft", of: String.self)
                try await daemon.reply(to: "viewModel.bind", Self.whole("old"))
                #expect(try await field.settle() == "old")
            }
            let unbind = try await daemon.request("viewModel.unbind")
            #expect(unbind["params"]?["id"] == .string("list"))
        }
    }
}
