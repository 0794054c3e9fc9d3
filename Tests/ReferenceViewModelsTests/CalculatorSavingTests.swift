import Foundation
import ReferenceViewModels
import Testing

struct CalculatorSavingTests {
    @Test func `a calculator is restored exactly, at every step of random keys`() throws {
        let vectors = try CalculatorVectors.load()
        print("calculator runs of seed \(vectors.seed)")
        for run in vectors.runs.prefix(70) {
            var brain = CalculatorBrain()
            for key in run.keys {
                _ = try brain.type(String(key))
                let restored = try JSONDecoder().decode(CalculatorBrain.self, from: JSONEncoder().encode(brain))
                try #require(restored == brain, "\(run.keys)")
            }
        }
    }

    @Test func `what is saved is what was typed and shown`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let saved = try encoder.encode(CalculatorBrain("12 + 1.50 = u * 0.10"))
        #expect(
            String(bytes: saved, encoding: .utf8)
                == #"{"entry":"0.10","nextID":3,"operations":[{"id":1,"text":"12"}],"pending":"*"}"#
        )
    }

    private static let states: [String] =
        [
            #"{}"#, #"{"nextID":1}"#, #"{"operations":[]}"#, #"{"operations":[],"nextID":0}"#,
            #"{"operations":[],"nextID":-1}"#, #"{"operations":[],"nextID":9007199254740993}"#,
            #"{"operations":[{"id":0,"text":"1"}],"nextID":2}"#, #"{"operations":[{"id":2,"text":"1"}],"nextID":2}"#,
            #"{"operations":[{"id":9223372036854775807,"text":"1"}],"nextID":9007199254740992}"#,
            #"{"operations":[{"id":1,"text":"1"}],"nextID":-5}"#,
            #"{"operations":[{"id":1,"text":"1"},{"id":1,"text":"+ 1"}],"nextID":3}"#,
            #"{"operations":[{"id":2,"text":"1"},{"id":1,"text":"+ 1"}],"nextID":3}"#,
            #"{"operations":[],"pending":"+","nextID":1}"#,
            #"{"operations":[{"id":1,"text":"1"}],"pending":"=","nextID":2}"#,
            #"{"base":"1e999","operations":[{"id":1,"text":"+ 1"}],"nextID":2}"#,
        ]
        + ["+ 1", "", "-1", "1.50", "1e16", "1e-17"].map { #"{"operations":[{"id":1,"text":"\#($0)"}],"nextID":2}"# }
        + ["+1", "+ ", "+ -1", "= 1", "/ 0"].map {
            #"{"operations":[{"id":1,"text":"1"},{"id":2,"text":"\#($0)"}],"nextID":3}"#
        }
        + ["", "1.50", "1e100", "1e-101"].map { #"{"base":"\#($0)","operations":[],"nextID":1}"# }
        + ["0", "", "07", ".5", "1.2.3", "-1", "12345678901234567"].map {
            #"{"operations":[],"entry":"\#($0)","nextID":1}"#
        }

    @Test(arguments: states)
    func `a state that no keys lead to is refused`(saved: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CalculatorBrain.self, from: Data(saved.utf8))
        }
    }
}
