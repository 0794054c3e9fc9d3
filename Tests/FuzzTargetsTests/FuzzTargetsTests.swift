import Foundation
import FuzzTargets
import Testing

/// The corpus that fuzzing starts from has the inputs of all faults that fuzzing has found.
struct FuzzTargetsTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fuzz/Corpus").standardized

    private static func inputs(of name: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: corpus.appending(path: name), includingPropertiesForKeys: nil)
    }

    @Test("each target has a corpus, and each corpus has a target")
    func targetsAndCorpora() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.corpus.path())
        #expect(names.sorted() == fuzzTargets.keys.sorted())
    }

    @Test("the rules of a target hold for its corpus", arguments: fuzzTargets.keys.sorted())
    func rulesHold(name: String) async throws {
        #expect(try !Self.inputs(of: name).isEmpty)
        await #expect(processExitsWith: .success) { [name = name as String] in
            let target = try #require(fuzzTargets[name])
            for input in try Self.inputs(of: name) { try Data(contentsOf: input).withUnsafeBytes(target) }
        }
    }
}
