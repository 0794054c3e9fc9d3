import Foundation
import JSONRPC
import Testing

/// The files of JSONTestSuite (Nicolas Seriot, "Parsing JSON is a Minefield").
@Suite struct `JSONTestSuite` {
    struct Case: CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var testDescription: String { name }
    }

    static let cases: [Case] = {
        let folder = Bundle.module.bundleURL.appending(path: "Vectors/json-test-suite/test_parsing")
        let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return (files ?? []).sorted { $0.lastPathComponent < $1.lastPathComponent }.compactMap { file in
            (try? Data(contentsOf: file)).map { Case(name: file.lastPathComponent, bytes: Array($0)) }
        }
    }()

    static func cases(_ prefix: String) -> [Case] {
        cases.filter { $0.name.hasPrefix(prefix) }
    }

    @Test func `the files are there`() {
        #expect(Self.cases.count == 318)
    }

    @Test(arguments: cases("y_"))
    func `what must be accepted is`(_ test: Case) {
        #expect(syntaxError(test.bytes) == nil)
        #expect(throws: Never.self) { try test.bytes.withUnsafeBytes { try JSONText.validate($0) } }
        #expect(throws: Never.self) { try test.bytes.withUnsafeBytes { try JSONValue(parsing: $0) } }
    }

    @Test(arguments: cases("n_"))
    func `what must be refused is`(_ test: Case) throws {
        let offset = try #require(syntaxError(test.bytes))
        #expect(0...test.bytes.count ~= offset)
        #expect(throws: JSONSyntaxError.self) { try test.bytes.withUnsafeBytes { try JSONText.validate($0) } }
    }

    @Test(arguments: cases("i_"))
    func `what is left open never crashes, and is judged as by the second reader`(_ test: Case) {
        #expect((syntaxError(test.bytes) == nil) == (NaiveReader.read(test.bytes) != nil))
    }
}
