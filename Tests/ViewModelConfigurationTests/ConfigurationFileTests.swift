import Logging
import Testing
import ViewModelHost

@testable import AccountsFeature
@testable import ViewModelConfiguration
@testable import viewmodeld

@Suite struct ConfigurationFileTests {
    @Test(arguments: ["", "# nothing\n", "---\n", "{}", "limits:\nlog:\n", "limits: {}", "socket: {group: }"])
    func `a file that says nothing leaves the defaults`(text: String) throws {
        #expect(try load(text) == DaemonConfiguration())
    }

    @Test func `JSON is YAML`() throws {
        let configuration = try load("{\"limits\": {\n\t\"instancesPerSession\": 8}, \"log\": {\"level\": \"debug\"}}")
        #expect(configuration.host.limits.instancesPerSession == 8)
        #expect(configuration.log.level == .debug)
    }

    @Test func `a dotted key is the same as nested maps`() throws {
        #expect(try load("limits.batch: 7").host.limits.batch == 7)
        #expect(try load("gateway:\n  tls.keyFile: /me").gateway.tls.keyFile == "/me")
    }

    @Test(
        arguments: [
            ("log: {levle: debug}", "FILE:1: there is no key log.levle; did you mean log.level?"),
            ("\nlimit: {batch: 1}", "FILE:2: there is no key limit; did you mean limits?"),
            ("messageBytes: 1000", "FILE:1: there is no key messageBytes; did you mean limits.messageBytes?"),
            ("penguins: 1", "FILE:1: there is no key penguins"),
            ("? [a]\n: 1", "FILE:1: a key must be a text"),
            ("limits: 5", "FILE:1: limits: expected a map with keys such as limits.messageBytes"),
            ("- limits", "FILE:1: the file is not a map of keys, such as \"log: {level: debug}\""),
        ]
    )
    func `an unknown key is an error with its line and a suggestion`(text: String, problem: String) throws {
        #expect(try problems(text) == [problem])
    }

    @Test(arguments: [
        ("many", "\"many\""), ("\"3\"", "\"3\""), ("0", "0"), ("-1", "-1"), ("1.5", "1.5"), ("[1]", "a list"),
        ("", "nothing"), ("99999999999999999999", "99999999999999999999"),
    ])
    func `a value that is no number within the bounds is an error`(text: String, found: String) throws {
        let problem = "FILE:1: limits.batch: expected a whole number from 1 to 65536, found \(found)"
        #expect(try problems("limits: {batch: \(text)}") == [problem])
    }

    @Test(
        arguments: [
            ("lab: 1", "lab: expected true or false, found 1"),
            ("lab: {a: 1}", "lab: expected true or false, found a map"),
            ("log: {format: xml}", "log.format: expected auto, json or text, found \"xml\""),
            ("log: {format: true}", "log.format: expected auto, json or text, found true"),
            (#"vault: {keyFile: "/k\0"}"#, "vault.keyFile: expected an absolute path without a zero byte"),
            (#"socket: {path: "/\uFFFD\0\xE9"}"#, "socket.path: expected an absolute path without a zero byte"),
            ("socket: {path: run/x}", "socket.path: expected an absolute path, found \"run/x\""),
            ("account: {oauth: {clientId: ''}}", "account.oauth.clientId: expected a text, found \"\""),
            (
                "account: {oauth: {scopes: 'a  b'}}",
                "account.oauth.scopes: expected scopes, separated by single spaces, found \"a  b\""
            ),
            ("socket: {group: nobodys}", "socket.group: expected a group of this system, found \"nobodys\""),
        ]
    )
    func `a wrong value is an error that says what is expected`(text: String, problem: String) throws {
        #expect(try problems(text) == ["FILE:1: " + problem])
    }

    @Test(
        arguments: [
            "account: {url: 'https://me:hunter2@example.org'}", "account: {oauth: {clientSecretFile: hunter2}}",
            "vault: {keyFile: [hunter2]}", "store: {url: 'mysql://me:hunter2@example.org/db'}",
            "store: {passwordFile: hunter2}",
        ]
    )
    func `what may be a secret in the wrong place is not repeated`(text: String) throws {
        let problems = try problems(text)
        #expect(problems.count == 1)
        #expect(problems.allSatisfy { $0.hasSuffix("found something else") && !$0.contains("hunter2") })
    }

    @Test func `everything that is wrong is said at once, in the order of the lines`() throws {
        let text = """
            shutdown: {graceSeconds: soon}
            lob: true
            limits:
              batch: 0
            """
        #expect(
            try problems(text) == [
                "FILE:1: shutdown.graceSeconds: expected a whole number from 0 to 3600, found \"soon\"",
                "FILE:2: there is no key lob; did you mean lab?",
                "FILE:4: limits.batch: expected a whole number from 1 to 65536, found 0",
            ]
        )
    }

    @Test(arguments: ["lab: true\nlab: false", "limits: {a", "a: b: c", "---\n---\n", "\u{1}"])
    func `a file that is not YAML is an error`(text: String) throws {
        let problems = try problems(text)
        #expect(problems.count == 1)
        #expect(problems.first?.contains("the file is not to be read as YAML: ") == true)
    }

    @Test func `a key that stands there twice in two spellings is an error`() throws {
        let problem = "FILE:2: limits.batch stands here for the second time, after line 1"
        #expect(try problems("limits: {batch: 3}\nlimits.batch: 4") == [problem])
    }

    @Test func `the mode of the socket is written as chmod takes it`() throws {
        for text in ["0660", "'0660'", "660", "0o660"] {
            #expect(try load("socket: {mode: \(text)}").socket.mode == FileMode(0o660), "\(text)")
        }
        for text in ["432", "0066", "1660", "'rw'", "00660", "999", "06600"] {
            #expect(try problems("socket: {mode: \(text)}").count == 1, "\(text)")
        }
    }

    @Test func `the name of a node has at most 64 characters`() throws {
        for name in ["a", "Node_1.example-2", String(repeating: "n", count: 64)] {
            #expect(try problems("node: {name: '\(name)'}") == [], "\(name)")
        }
        for name in ["", "a b", "\u{E9}", "a/b", String(repeating: "n", count: 65)] {
            #expect(try problems("node: {name: '\(name)'}").count == 1, "\(name)")
        }
    }

    @Test func `a group is given by name or number`() throws {
        #expect(try load("socket: {group: root}").socket.group == GroupReference(id: 0, name: "root"))
        #expect(try load("socket: {group: 12345}").socket.group == GroupReference(id: 12345, name: "12345"))
    }
}
