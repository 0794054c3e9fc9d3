import Foundation
import Testing
import ViewModelProtocol

/// The vectors of github.com/json-patch/json-patch-tests.
@Suite struct JSONPatchVectorTests {
    struct Vector: CustomTestStringConvertible, Sendable {
        var file: String
        var index: Int
        var members: JSONObject

        var testDescription: String {
            "\(file) \(index): \(members["comment"]?.stringValue ?? members["error"]?.stringValue ?? "")"
        }
    }

    static let vectors: [Vector] = ["spec_tests", "tests"].flatMap { file -> [Vector] in
        guard let url = Bundle.module.url(forResource: file, withExtension: "json", subdirectory: "Vectors"),
            let data = try? Data(contentsOf: url), let all = JSONValue(text: Array(data))?.arrayValue
        else { return [] }
        return all.enumerated().compactMap { index, vector in
            guard let members = vector.objectValue, members["disabled"] != .bool(true) else { return nil }
            return Vector(file: file, index: index, members: members)
        }
    }

    @Test func `all vectors are there`() {
        #expect(Self.vectors.count > 100)
    }

    @Test(arguments: vectors)
    func `a patch does what the vector says`(_ vector: Vector) throws {
        let document = try #require(vector.members["doc"])
        let patch = try #require(vector.members["patch"])
        var result = document
        do {
            try read(patch).apply(to: &result)
            #expect(vector.members["error"] == nil, "an error is expected")
            if let expected = vector.members["expected"] { #expect(result == expected) }
        } catch {
            #expect(vector.members["error"] != nil, "\(error)")
            #expect(result == document, "a patch that fails must change nothing")
        }
    }

    private func read(_ patch: JSONValue) throws -> JSONPatch {
        try patch.text.withUnsafeBytes { try JSONValueDecoder.decode(JSONPatch.self, from: $0) }
    }
}
