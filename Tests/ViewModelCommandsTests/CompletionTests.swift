import Testing
import ViewModelClient
import ViewModelContract

@testable import ViewModelCommands
@testable import ViewModelDeveloperCommands

@Suite struct CompletionTests {
    private let contract = Contract(
        ofDaemon: JSONValue(
            text: #"""
                {"methods":[{"name":"viewModel.list","summary":"Lists."}],"x-viewModels":{
                  "mine":{"description":"Mine.","inputs":{"select":{"schema":{"type":"string"}}},
                          "outputs":{"busy":{"kind":"state","schema":{"type":"boolean"}},
                                     "rows":{"kind":"list","schema":{"type":"array","items":
                                        {"type":"object","properties":{"text":{"type":"string"},"done":{"type":"boolean"}}}}}},
                          "actions":{"rate":{"params":{"type":"object","properties":{
                              "stars":{"enum":[1,2]},"text":{"type":"string"}},"required":["stars"]}}},
                          "children":{"header":"mineHeader"}},
                  "keypad":{"inputs":{"press":{"schema":{"enum":["1","+"]}}}},
                  "mineHeader":{"inputs":{"select":{"schema":{"type":"null"}}}}}}
                """#
        ) ?? .null
    )

    private func result(_ position: CompletionPosition) -> CompletionResult {
        let names = CompletionNames(contract: contract, instances: [(id: "mine-2", type: "mine")])
        return switch position.source {
        case .known(let result): result
        case .names(let candidates): .words(candidates(names))
        case .sessions: .words([])
        }
    }

    private func texts(_ words: [String]) throws -> [String] {
        let tree = ViewModelCtl.$addedVerbs.withValue(developerVerbs) { CommandTree.program }
        let position = CompletionPosition(words, in: try #require(tree))
        let request = try #require(CompletionRequest(["zsh"] + words))
        return request.lines(result(position)).map { String($0.prefix { $0 != "\t" }) }
    }

    @Test(arguments: [
        (["rea"], ["words", "read "]),
        (["read", "mine"], ["words", "mine-2 ", "mine ", "mine.header "]),
        (["read", "mine", ""], ["words", "busy ", "rows ", "rate.enabled ", "rate.executing ", "rate.progress "]),
        (["--session", "desk", "wait", "mine-2", "b"], ["words", "busy="]),
        (["wait", "mine", "busy!=t"], ["words", "busy!=true "]),
        (["wait", "mine", "rows/0/"], ["words", "rows/0/done=", "rows/0/text="]),
        (["wait", "mine", "rows/0/d"], ["words", "rows/0/done="]),
        (["wait", "mine", "rows/0/done=t"], ["words", "rows/0/done=true "]), (["wait", "mine", "busy/x/"], ["words"]),
        (["call", "mine.r"], ["words", "mine.rate "]),
        (["call", "mine.header."], ["words", "mine.header.select "]),
        (["call", "keypad.press", ""], ["words", "1 ", "+ ", "value="]),
        (["call", "keypad.press", "va"], ["words", "value="]),
        (["call", "keypad.press", "value="], ["words", "value=1 ", "value=+ "]),
        (["call", "keypad.press", "value=1"], ["words", "value=1 "]),
        (["call", "keypad.press", "other="], ["words"]),
        (["call", "mine.select", ""], ["words", "value="]),
        (["call", "mine.select", "value="], ["words"]), (["call", "mine.header.select", ""], ["words"]),
        (["open", "mine", ""], ["words"]),
        (["call", "mine.rate", ""], ["words", "stars=", "text="]),
        (["call", "mine.rate", "stars="], ["words", "stars=1 ", "stars=2 "]),
        (["call", "mine.rate", "stars=1", "te"], ["words", "text="]),
        (["describe", "k"], ["words", "keypad "]), (["open", "mineH"], ["words"]),
        (["rpc", "v"], ["words", "viewModel.list "]),
        (["watch", "mine", "--window", ""], ["words", "rows="]),
        (["read", "--output", "t"], ["words", "text "]), (["--output=j"], ["words", "--output=json "]),
        (["completions", "f"], ["words", "fish "]), (["script", ""], ["files", ""]),
        (
            ["generate", ""],
            [
                "words", "dom ", "gtk ", "javascript ", "python ", "qt ", "react ", "swift ", "textual ", "typescript ",
            ]
        ),
        (["generate", "py"], ["words", "python "]), (["generate", "python", ""], ["words"]),
        (["--socket", ""], ["files", ""]),
        (["--socket=/r"], ["files", "--socket="]), (["call", "mine.rate", "text=@no"], ["files", "text=@"]),
        (["call", "mine.rate", "text:=@no"], ["words"]), (["help", "stat"], ["words", "status "]),
        (["close-instance", "mine-"], ["words", "mine-2 "]), (["call", "x.y", "--", ""], ["words"]),
        (["help", "rpc", ""], ["words"]), (["wait", "mine", "--re"], ["words", "--reconnect "]),
    ])
    func `a word is completed by what stands before it`(words: [String], lines: [String]) throws {
        let found = try texts(words)
        #expect(found.sorted() == lines.sorted())
    }

    @Test(arguments: [
        ("viewmodelctl wait mine busy=tr", ["true "]), ("viewmodelctl call keypad.press ", ["1 ", "+ ", "value="]),
        ("viewmodelctl call keypad.press va", ["value="]), ("viewmodelctl call keypad.press value=", ["1 ", "+ "]),
        ("viewmodelctl call keypad.press value=1", ["1 "]), ("viewmodelctl call mine.rate stars=", ["1 ", "2 "]),
        ("viewmodelctl read 'min", ["mine-2", "mine", "mine.header"]),
    ])
    func `bash gets the part of the word after its last break`(line: String, lines: [String]) throws {
        let request = try #require(CompletionRequest(["bash", " \t\n\"'><=;|&(:", line]))
        let position = CompletionPosition(request.words, in: try #require(CommandTree.program))
        let found = request.lines(result(position))
        #expect(found.dropFirst().sorted() == lines.sorted())
    }

    @Test func `characters that bash interprets are quoted`() throws {
        let request = try #require(CompletionRequest(["bash", "=:", "viewmodelctl call keypad.press "]))
        let lines = request.lines(.words([CompletionCandidate(text: "*"), CompletionCandidate(text: "a b")]))
        #expect(lines == ["words", "\\* ", "a\\ b "])
    }

    @Test(arguments: [
        ("a b", ["a", "b"]), ("a ", ["a", ""]), ("a 'b c", ["a", "b c"]), ("a \"b", ["a", "b"]), ("", [""]),
        (#"a "b\"c\$d\e"#, ["a", #"b"c$d\e"#]), (#"a b\ c"#, ["a", "b c"]), (#"a b\"#, ["a", "b"]),
        (#"a 'b\' "$(c)"#, ["a", #"b\"#, "$(c)"]), (#"a b"c d"e"#, ["a", "bc de"]),
    ])
    func `the last word of a line may be unfinished`(line: String, words: [String]) {
        #expect(ShellLine(typed: line).words == words)
    }

    @Test(arguments: [
        (#"viewmodelctl call x value="two w"#, "value=two words!$", #"two words"\!"\$"#),
        ("viewmodelctl call x value='two w", "value=two words'", #"two words'\''"#),
        (#"viewmodelctl call x value=two\ w"#, "value=two words", #"two\ words "#),
        (#"viewmodelctl call x value=R\&"#, "value=R&D", #"R\&D "#),
        (#"viewmodelctl call x value="R&"D"#, "value=R&D=5", #"R\&D=5 "#),
        (#"viewmodelctl call x "value=R&"#, "value=R&D", "value=R&D"),
        (#"viewmodelctl call x value=a="b c"#, "value=a=b c", "b c"),
        (#"viewmodelctl call x value=\"#, "value=$(date)", #"\$\(date\) "#),
    ])
    func `bash gets a word with the quotes of the typed part`(line: String, word: String, inserted: String) throws {
        let request = try #require(CompletionRequest(["bash", " \t\n\"'><=;|&(:", line]))
        #expect(request.lines(.words([CompletionCandidate(text: word)])) == ["words", inserted])
    }

    @Test(arguments: [#"value="two w"#, "value='two w", #"value=two\ w"#, #""value=two w"#])
    func `zsh and fish get a word whose quotes and escapes are removed`(word: String) throws {
        for (shell, line) in [("zsh", "value=two words \t"), ("fish", "value=two words\t")] {
            let request = try #require(CompletionRequest([shell, "call", "x", word]))
            #expect(request.lines(.words([CompletionCandidate(text: "value=two words")])) == ["words", line])
        }
    }

    @Test(arguments: [
        ("~/d.sock", "/home/a/d.sock"), ("$S", "/run/d.sock"), ("${S}", "/run/d.sock"), ("$HOME/d", "/home/a/d"),
        ("/a~/b", "/a~/b"), ("$NONE/d", "/d"), ("$(date)", "$(date)"), ("`date`", "`date`"),
    ])
    func `the path of a socket may begin with a variable`(path: String, expanded: String) {
        #expect(CompletionPosition.expanded(path, ["HOME": "/home/a", "S": "/run/d.sock"]) == expanded)
    }

    @Test func `the scenes of the daemon are offered`() throws {
        let document = #"""
            {"x-scenes":[{"scene":"wallet","instance":null},{"scene":"map","instance":"lab"}],"x-viewModels":{
              "coordinator":{"builtIn":true,"actions":{"open":{"params":{"type":"object","properties":{
                "scene":{"type":"string"},"arguments":{}},"required":["scene"]}}}}}}
            """#
        let names = CompletionNames(contract: Contract(ofDaemon: JSONValue(text: document) ?? .null), instances: [])
        let found = names.parameters(of: "coordinator.open", "scene=")
        #expect(found.map(\.text) == ["scene=wallet", "scene=map"])
        let other = names.parameters(of: "coordinator.open", "")
        #expect(other.map(\.text) == ["scene=", "arguments="])
    }
}
