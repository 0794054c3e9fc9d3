import ArgumentParser
import Testing
import ViewModelClient

@testable import ViewModelCommands
@testable import ViewModelDeveloperCommands

@Suite struct CommandLineTests {
    private func verb(_ line: String) throws -> any Verb {
        try #require(try ViewModelCtl.command(ShellLine.words(ofScript: line)) as? any Verb)
    }

    @Test(arguments: [
        "--socket /s --session desk --output json read lab value",
        "read lab value --socket /s --session desk --output json",
        "--socket /s read --session desk lab --output json value",
        "--socket /other --output text read lab value --socket /s --session desk --output json",
    ])
    func `global options stand before the verb or after it, the latter counts`(line: String) throws {
        let read = try #require(try verb(line) as? Read)
        #expect(read.options.socketPath == "/s")
        #expect(read.options.session?.text == "desk")
        #expect(try read.options.format() == .json)
        #expect(read.instance == "lab")
        #expect(read.outputs == ["value"])
    }

    @Test func `a call takes values that look like options`() throws {
        let call = try #require(try verb("call lab.set -5 --session desk") as? Call)
        #expect(call.words == ["lab.set", "-5"])
        #expect(call.options.session?.text == "desk")
        #expect(try #require(try verb("call keypad.press -") as? Call).words == ["keypad.press", "-"])
        #expect(try #require(try verb("call keypad.press =") as? Call).words == ["keypad.press", "="])
        #expect(try #require(try verb("call --session desk lab.set x:=-1") as? Call).words == ["lab.set", "x:=-1"])
        #expect(try #require(try verb("call lab.set --json '[5]'") as? Call).json?.bytes == Array("[5]".utf8))
    }

    @Test(arguments: [
        (["raed", "calculator"], "Did you mean read?"), (["--session", "desk", "calll"], "Did you mean call?"),
        (["--output=json", "xyzzy"], "viewmodelctl --help lists the verbs"),
    ])
    func `a mistyped verb has a suggestion`(words: [String], remedy: String) {
        #expect(CommandWords(words).unknownVerb?.remedy == remedy)
    }

    @Test(arguments: [["read", "lab"], ["--socket", "/s", "help", "read"], ["--version"], [], ["--session", "desk"]])
    func `a known verb, or none, has no suggestion`(words: [String]) {
        #expect(CommandWords(words).unknownVerb == nil)
    }

    @Test func `a watch takes windows, a count and a throttle`() throws {
        let line = "watch lab rows --window rows=10,20 --window other=0,5 --count 3 --throttle 50 --reconnect"
        let watch = try #require(try verb(line) as? Watch)
        #expect(
            watch.windows.byOutput == ["rows": Window(offset: 10, limit: 20), "other": Window(offset: 0, limit: 5)]
        )
        #expect(watch.count == 3)
        #expect(watch.throttle == 50)
        #expect(watch.reconnects)
    }

    @Test(arguments: [
        "bogus", "call", "call lab", "call lab.set --nope", "call lab.set --json 5", "call lab.set a --json []",
        "call lab.set a b", "read", "watch lab --count -1", "watch lab --window rows=1", "watch lab --window =1,2",
        "watch lab --window rows=-1,2", "wait lab", "wait lab value", "wait lab value=1 --timeout soon", "close 'a b'",
        "wait lab value=1 --timeout -1", "wait lab value=1 --change", "wait lab =1", "wait lab rows/~2=1",
        "read lab --linger -1", "call lab.set --text a b", "call lab.set --text a --json []", "call lab.set -x",
        "call lab.set 1 --deadline -1", "open", "open lab a=1 --json {}",
        "--session .x read lab", "rpc", "rpc x 5", "completions tcsh",
    ])
    func `a wrong command line ends with 64`(line: String) throws {
        let error = #expect(throws: (any Error).self) { try ViewModelCtl.parseAsRoot(ShellLine.words(ofScript: line)) }
        #expect(ErrorReport(try #require(error)).status == .usage)
    }

    @Test func `an unknown form of results ends with 64, and generate has a file there`() throws {
        let read = try #require(try ViewModelCtl.parseAsRoot(["read", "lab", "--output", "xml"]) as? Read)
        let error = #expect(throws: CommandFailure.self) { _ = try read.options.format() }
        #expect(error?.status == .usage)
        for arguments in [["generate", "swift", "--output", "Client.swift"], ["--output", "x", "generate", "swift"]] {
            let command = try ViewModelCtl.$addedVerbs.withValue(developerVerbs) { try ViewModelCtl.command(arguments) }
            let generate = try #require(command as? Generate)
            #expect(generate.options.output != nil)
        }
    }

    @Test func `every verb that talks to the daemon has the options of every verb`() throws {
        for line in [
            "types", "describe lab", "sessions", "status", "close desk", "rpc a.b", "script", "wait lab a=1",
            "instances",
            "open lab a=1", "close-instance lab",
        ] {
            #expect(try verb("\(line) --session desk").options.session?.text == "desk")
        }
    }
}
