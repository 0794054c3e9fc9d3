import Foundation
import Testing

@testable import ViewModelCommands

@Suite struct InputReaderTests {
    @Test(arguments: [("/nonexistent/file", "No such file or directory"), ("/", "Is a directory")])
    func `a file that cannot be read is an error that says why`(path: String, reason: String) async {
        await #expect(throws: CommandFailure.usage("\(path) cannot be read: \(reason)")) {
            try await InputReader().file(path)
        }
    }

    @Test func `a value from a file that cannot be read says what the @ is for`() async throws {
        let parameters = try Parameters(["text=@/nonexistent/file"])
        let error = await #expect(throws: CommandFailure.self) {
            try await parameters.object(ParameterForm.unknown, reading: InputReader())
        }
        #expect(error?.remedy == "The @ of text=@/nonexistent/file stands before the name of a file")
    }

    @Test func `a file is read without the line end that closes it`() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "input-\(UUID())").path
        let text = String(repeating: "012345\n789", count: 20_000)
        try Data("\(text)\r\n".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try await InputReader().file(path) == text)
    }
}
