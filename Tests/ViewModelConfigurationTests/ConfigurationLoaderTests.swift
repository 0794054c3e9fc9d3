import Foundation
import Logging
import Testing
import ViewModelHost

@testable import AccountsFeature
@testable import ViewModelConfiguration
@testable import viewmodeld

@Suite struct ConfigurationLoaderTests {
    @Test func `flags go before the environment, that before the file, that before the defaults`() throws {
        let file = "log: {level: error, format: json}\nlimits: {batch: 3}"
        let environment = ["VIEWMODELD_LOG_LEVEL": "warning", "VIEWMODELD_LIMITS_BATCH": "4"]
        let configuration = try load(file, environment: environment, flags: [("log.level", "--log-level", "debug")])
        #expect(configuration.log.level == .debug)
        #expect(configuration.host.limits.batch == 4)
        #expect(configuration.log.format == .json)
        #expect(configuration.host.limits.inFlight == 256)
        #expect(!configuration[LabSettings.self].lab)
    }

    @Test func `additions go before the file in the order of their names, and their rules of access add up`() throws {
        let text = "limits: {batch: 1, inFlight: 2}\naccess: [{user: 1, scope: act}]"
        try withFile(text, at: "d/viewmodeld.yaml") { path in
            let files = [
                "9.yaml": "limits: {batch: 4}\naccess: [{user: 3, scope: act}]", "10.yaml": "limits: {batch: 3}\n",
                "B.yaml": "\u{FEFF}---\nlimits: {events: 64}", "a.yml": "nonsense", ".hidden.yaml": "nonsense",
            ]
            for (name, text) in files { try write(text, to: path.replacing(".yaml", with: ".d/\(name)")) }
            let loaded = try loader(path).load()
            let names = loaded.files.map { URL(filePath: $0).lastPathComponent }
            #expect(names == ["viewmodeld.yaml", "10.yaml", "9.yaml", "B.yaml"])
            let host = loaded.configuration.host
            #expect(host.limits.batch == 4 && host.limits.inFlight == 2 && host.limits.events == 64)
            #expect(host.access.rules.map(\.principal) == [.user(1), .user(3)])
        }
    }

    @Test func `an error in an addition names its file, line and key, also if a later file overrides it`() throws {
        try withFile("", at: "d/own.conf") { path in
            try write("\nlimits: {batch: many}", to: path.replacing(".conf", with: ".d/1.yaml"))
            try write("limits: {batch: 3}", to: path.replacing(".conf", with: ".d/2.yaml"))
            let error = #expect(throws: ConfigurationError.self) { try loader(path).load() }
            let text = try #require(error?.description)
            #expect(text.contains("own.d/1.yaml:2: limits.batch: expected"), "\(text)")
        }
    }

    @Test(arguments: ["", "\n"])
    func `a byte order mark is no part of the file`(end: String) throws {
        for start in ["", "---\n", "%YAML 1.1\n---\n", "# comment\n", "{", "\n"] {
            let text = start == "{" ? "{limits: {batch: 3}}" : start + "limits: {batch: 3}"
            #expect(try load("\u{FEFF}" + text + end).host.limits.batch == 3, "\(start)")
        }
        #expect(try load("\u{FEFF}").host.limits.batch == 100)
    }

    @Test func `every key can be set by its variable, which has its name in capitals`() throws {
        let variables = viewmodeld.configurationKeys.map { viewmodeld.variable(for: $0) }
        for variable in ["LIMITS_CONNECTIONS_PER_USER", "ACCOUNT_OAUTH_CLIENT_SECRET_FILE", "LAB"] {
            #expect(variables.contains("VIEWMODELD_\(variable)"))
        }
        for key in viewmodeld.configurationKeys {
            guard let text = key.defaultText else { continue }
            let plain = text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text
            #expect(try load(environment: [viewmodeld.variable(for: key): plain]) == DaemonConfiguration())
        }
    }

    @Test func `what a user may hold and leave behind can be changed while the daemon runs`() throws {
        let file = """
            limits: {bytesPerUser: 1024, executions: 2, scenes: 3, savedSessionsPerUser: 4, savedBytesPerSession: 5,
              outboxItemsPerUser: 6, outboxBytesPerUser: 7}
            """
        var running = DaemonConfiguration()
        let changes = running.adopt(try load(file), of: viewmodeld)
        #expect(changes.applied.count == 7)
        #expect(changes.waiting == [])
        #expect(running.host.limits.bytesPerUser == 1024)
        #expect(running[OutboxSettings.self].outboxBytesPerUser == 7)
    }

    @Test(
        arguments: [
            ("account: {provider: http, url: \"http://example.org/api\"}", ["account.url"]),
            ("account: {provider: http, url: \"HTTP://127.example.org\"}", ["account.url"]),
            ("account: {provider: http, url: \"https://example.org\"}", []),
            ("account: {provider: http, url: \"http://127.0.0.1:8080/api\"}", []),
            ("account: {provider: http, url: \"http://[::1]:8080\"}", []),
            ("account: {provider: http, url: \"http://localhost:80/x\"}", []),
            ("account: {provider: http, url: \"http://localhost.example.org\"}", ["account.url"]),
            ("account: {url: \"http://example.org\"}", []),
            (
                "account: {provider: oauth, url: \"http://a.org\", oauth: {issuer: \"http://b.org\", clientId: c}}",
                ["account.oauth.issuer", "account.url"]
            ),
        ]
    )
    func `an address of another machine without encryption is warned of`(file: String, keys: [String]) throws {
        let warnings = try withFile(file) { try loader($0).load().warnings }
        #expect(warnings.map { $0.message.prefix { $0 != ":" } } == keys.map { $0[...] })
        #expect(warnings.allSatisfy { $0.location.line == 1 })
    }

    @Test func `a wrong variable is an error that names it, and hides none in the file`() throws {
        let problem = "limits.batch: expected a whole number from 1 to 65536, found \"x\""
        let variables = ["VIEWMODELD_LIMITS_BATCH": "x"]
        #expect(try problems(environment: variables) == ["VIEWMODELD_LIMITS_BATCH: \(problem)"])
        #expect(try problems("limits: {batch: x}", environment: variables).count == 2)
        #expect(try problems("limits: {batch: x}", environment: ["VIEWMODELD_LIMITS_BATCH": "5"]).count == 1)
    }

    @Test func `an unknown variable is warned of, the client's is not`() throws {
        let environment = ["VIEWMODELD_LIMIT_BATCH": "1", "VIEWMODELD_SOCKET": "/tmp/x", "PATH": "/bin"]
        let warnings = EnvironmentSource(environment).warnings
        #expect(
            warnings.map(\.description)
                == ["VIEWMODELD_LIMIT_BATCH: is not a variable of the daemon; did you mean VIEWMODELD_LIMITS_BATCH?"]
        )
    }

    @Test(
        arguments: [
            ("account: {provider: http}", ["account.url"]),
            ("account: {provider: http, url: 'http://localhost:8080/api'}", []),
            ("account: {provider: oauth}", ["account.oauth.issuer", "account.oauth.clientId"]),
            ("account: {provider: oauth, oauth: {issuer: 'https://a.example', clientId: 12}}", []),
        ]
    )
    func `a provider requires what it is reached by`(text: String, missing: [String]) throws {
        let found = try problems(text)
        #expect(found.count == missing.count)
        for (problem, name) in zip(found, missing) { #expect(problem.hasPrefix("FILE:1: \(name): expected ")) }
    }

    @Test(
        arguments: ["http://127.0.0.1:99999", "http:///", "http://a b", "http://u:secret@a", "http://a/?secret"]
    )
    func `an address that no request can go to is an error that names its key and not the address`(url: String) throws {
        for (key, text) in [
            ("account.url", "account: {provider: http, url: '\(url)'}"),
            ("account.oauth.issuer", "account: {provider: oauth, oauth: {issuer: '\(url)', clientId: x}}"),
        ] {
            let found = try problems(text)
            let start = "FILE:1: \(key): expected an http:// or https:// address"
            #expect(found.contains { $0.hasPrefix(start) }, "\(found)")
            #expect(found.contains { $0.contains("a port from 1 to 65535") && !$0.contains(url) })
        }
    }

    @Test func `the default file need not be there, one that was asked for must`() throws {
        let nowhere = ["XDG_CONFIG_HOME": "/nonexistent"]
        let loaded = try loader(environment: nowhere).load()
        #expect(loaded.configuration == DaemonConfiguration())
        #expect(loaded.files.isEmpty)
        #expect(throws: ConfigurationError.self) { try loader("/nonexistent/x").load() }
    }

    @Test(arguments: [
        ("XDG_CONFIG_HOME", "viewmodeld/viewmodeld.yaml"), ("HOME", ".config/viewmodeld/viewmodeld.yaml"),
    ])
    func `a person's file is found`(variable: String, name: String) throws {
        try withFile("lab: true", at: name) { path in
            let environment = [variable: String(path.dropLast(name.count + 1))]
            let loaded = try loader(environment: environment).load()
            #expect(loaded.configuration[LabSettings.self].lab)
            #expect(loaded.files == [path])
        }
    }

    @Test func `the names of a daemon's files and variables follow its name`() throws {
        let program = try #require(DaemonProgram(name: "podcast-d2"))
        #expect(program.socketPath == "podcast-d2/podcast-d2.sock")
        #expect(program.configurationPath == "podcast-d2/podcast-d2.yaml")
        let environment = [
            "PODCAST_D2_LIMITS_BATCH": "3", "VIEWMODELD_LIMITS_EVENTS": "4", "PODCAST_D2_LAP": "true",
        ]
        let loaded = try loader(of: program, environment: environment).load()
        #expect(loaded.configuration.host.limits.batch == 3)
        #expect(loaded.configuration.host.limits.events == DaemonConfiguration().host.limits.events)
        #expect(loaded.warnings.map(\.location.source) == ["PODCAST_D2_LAP"])
    }

    @Test func `a key of a feature that the daemon does not have is an error that names the feature`() throws {
        let file = """
            vault: {keyFile: /key}
            store:
              url: postgresql://a@b/c
            lab: true
            limits: {outboxItemsPerUser: 3, batch: 4}
            """
        try withFile(file) { path in
            let podcastd = try #require(DaemonProgram(name: "podcastd"))
            let variables = ["PODCASTD_ACCOUNT_URL": "x", "PODCASTD_LIMITS_OUTBOX_BYTES_PER_USER": "1"]
            let error = #expect(throws: ConfigurationError.self) {
                try loader(of: podcastd, path, environment: variables).load()
            }
            let expected = [
                ("\(path):1", "vault", "accounts"), ("\(path):2", "store", "sharedStore"), ("\(path):4", "lab", "lab"),
                ("\(path):5", "limits.outboxItemsPerUser", "accounts"),
                ("PODCASTD_ACCOUNT_URL", "account", "accounts"),
                ("PODCASTD_LIMITS_OUTBOX_BYTES_PER_USER", "limits.outboxBytesPerUser", "accounts"),
            ].map { place, key, feature in
                "\(place): \(key) belongs to the feature \(feature), which podcastd does not have. Remove the key"
            }
            #expect(error?.problems.map(\.description) == expected)

            // A gateway reads the file of its daemon, and does not know the features.
            let loaded = try loader(of: .viewmodeld, path, environment: ["VIEWMODELD_ACCOUNT_URL": "x"]).load()
            #expect(loaded.configuration.host.limits.batch == 4)
            #expect(loaded.warnings.isEmpty)
        }
    }

    @Test(arguments: [
        "", "Podcastd", "9d", "-d", "pod cast", "pod.cast", "pod/cast", "pödcast",
        "a" + String(repeating: "b", count: 32),
    ])
    func `a name that is no word of lower-case letters and digits is none for a daemon`(name: String) {
        #expect(DaemonProgram(name: name)?.name == nil)
    }
}
