import Foundation
import Testing
import ViewModelKit

@testable import ViewModelTesting

@Suite struct `A golden contract` {
    private let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID())/Contracts/song.json").path

    private func catalog() throws -> ViewModelCatalog {
        var catalog = ViewModelCatalog()
        try catalog.host(Song.self) { _ in Song() }
        return catalog
    }

    private func withFile(_ body: () throws -> Void) rethrows {
        defer { try? FileManager.default.removeItem(atPath: URL(filePath: file).deletingLastPathComponent().path) }
        try body()
    }

    private var text: String { get throws { try String(contentsOfFile: file, encoding: .utf8) } }

    /// Returns the message of a comparison with a file in which a text is replaced.
    private func verdict(replacing text: String, with other: String) throws -> String {
        let golden = GoldenContract.text(try GoldenContract(catalog()).contract)
        #expect(golden.contains(text), "\(golden)")
        try FileManager.default.createDirectory(
            at: URL(filePath: file).deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(golden.replacing(text, with: other).utf8).write(to: URL(filePath: file))
        let error = #expect(throws: HarnessError.self) { try expectContract(of: catalog(), matches: file) }
        return error?.description ?? ""
    }

    @Test func `is written if there is none, which the test says, and agrees afterwards`() throws {
        try withFile {
            let error = #expect(throws: HarnessError.self) { try expectContract(of: catalog(), matches: file) }
            #expect(error?.description.hasSuffix("was written; read it, and run the test again") == true)
            try expectContract(of: catalog(), matches: file)
            #expect(try text.contains("\n    \"song\": {\n"))
            #expect(try !text.contains("prompter") && !text.contains("PromptAnswer"))
        }
    }

    @Test func `names saved values that are read no more`() throws {
        try withFile {
            let lost = try verdict(replacing: "\"rating\": {", with: "\"stars\": {")
            #expect(lost.contains("breaking: saved song.stars is saved no more"), "\(lost)")
        }
        try withFile {
            let moved = try verdict(replacing: "\"keptFor\": \"user\"", with: "\"keptFor\": \"session\"")
            #expect(moved.contains("breaking: saved song.rating is kept for the user, not the session"), "\(moved)")
        }
    }

    @Test func `is compared as a value, whatever its white space`() throws {
        try withFile {
            try? expectContract(of: catalog(), matches: file)
            try Data(text.filter { $0 != "\n" }.utf8).write(to: URL(filePath: file))
            try expectContract(of: catalog(), matches: file)
        }
    }

    @Test func `is written again on request, which the test says`() throws {
        try withFile {
            _ = try verdict(replacing: "\"title\"", with: "\"name\"")
            let contract = try GoldenContract(catalog())
            let error = #expect(throws: HarnessError.self) { try contract.check(file, named: "song", isUpdated: true) }
            #expect(error?.description.contains("The file was written") == true)
            try contract.check(file, named: "song", isUpdated: true)
        }
    }

    @Test func `names what breaks clients and what does not`() throws {
        try withFile {
            let renamed = try verdict(replacing: "\"title\"", with: "\"name\"")
            #expect(renamed.contains("Clients of the file may fail:"))
            #expect(renamed.contains("\n  breaking: song.outputs.name was removed\n"), "\(renamed)")
            #expect(renamed.contains("\n  additive: song.outputs.title was added\n"), "\(renamed)")

            let described = try verdict(replacing: "The name of the song.", with: "The title.")
            #expect(described.contains("Only descriptions differ."), "\(described)")

            // The same change of an enum breaks those who send it, or those who get it.
            let moods = try verdict(replacing: "\"loud\"", with: "\"noisy\"")
            for line in [
                #"breaking: song.inputs.mood has no case "noisy" any more"#,
                #"additive: song.inputs.mood has the new case "loud""#,
                #"source: song.outputs.mood has no case "noisy" any more"#,
                #"source: song.outputs.mood has the new case "loud""#,
            ] {
                #expect(moods.contains("\n  \(line)\n"), "\(line) in \(moods)")
            }
        }
    }

    @Test func `that is not JSON is named`() throws {
        try withFile {
            try? expectContract(of: catalog(), matches: file)
            try Data("<<<<<<< HEAD".utf8).write(to: URL(filePath: file))
            let error = #expect(throws: HarnessError.self) { try expectContract(of: catalog(), matches: file) }
            #expect(error?.description.contains("is not JSON") == true)
        }
    }
}

/// A song.
@ViewModel
private final class Song {
    /// The name of the song.
    @Output private(set) var title = ""
    /// The mood of the song.
    @Field var mood: Mood = .calm
    @State(.user) private var rating = 0

    /// Plays the song.
    @Action(.latest) func play(seconds: Int) async throws {}
}

/// A mood.
@Schemable
private enum Mood: String, CaseIterable {
    case calm
    case loud
}
