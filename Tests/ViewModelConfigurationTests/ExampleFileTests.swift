import Foundation
import Testing

@testable import ViewModelConfiguration

/// `config/viewmodeld.yaml`; with `WRITE_EXAMPLE=1` in the environment, the first test writes it.
@Suite(.serialized) struct ExampleFileTests {
    /// Where the example lies in the repository.
    private static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "config/viewmodeld.yaml")

    @Test func `the shipped example says what the table of keys says`() throws {
        if ProcessInfo.processInfo.environment["WRITE_EXAMPLE"] == "1" {
            try Data(viewmodeld.exampleFile.utf8).write(to: Self.url)
        }
        let shipped = try String(contentsOf: Self.url, encoding: .utf8)
        #expect(shipped == viewmodeld.exampleFile, "write it anew with WRITE_EXAMPLE=1")
    }

    @Test func `the shipped example changes nothing`() throws {
        #expect(try load(String(contentsOf: Self.url, encoding: .utf8)) == DaemonConfiguration())
    }

    @Test func `what is commented out in the shipped example is every key with its default`() throws {
        let shipped = try String(contentsOf: Self.url, encoding: .utf8)
        let text = shipped.replacing(/(?m)^( *)#(?=[^\s#])/) { $0.output.1 }
        #expect(try load(text) == DaemonConfiguration())
        for key in viewmodeld.configurationKeys {
            let last = key.name.split(separator: ".").last ?? ""
            #expect(text.contains(try Regex("(?m)^ *\(last):")), "\(key.name)")
        }
    }
}
