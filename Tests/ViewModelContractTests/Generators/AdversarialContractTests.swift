import ClientGenerators
import Foundation
import Testing
import ViewModelContract

/// The generators with a contract that is hard on them.
///
/// `Tests/Clients` compile and run what they write.
@Suite struct AdversarialContractTests {
    private func contract() throws -> Contract {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Clients/swift/Sources/AdversarialClient/adversarial.contract.json")
        return try Contract(ContractNode(json: String(contentsOf: file, encoding: .utf8)))
    }

    @Test(arguments: ClientGenerator.all.map(\.language))
    func `equal contracts give equal bytes, which name the contract`(language: String) throws {
        let generator = try #require(ClientGenerator.all.first { $0.language == language })
        let (one, other) = try (contract(), contract())
        let files = generator.files(one)
        #expect(files == generator.files(other))
        for file in files { #expect(file.text.prefix(600).contains(one.hash)) }
    }
}
