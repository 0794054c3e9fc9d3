import ClientGenerators
import Testing
import ViewModelContract
import ViewModelYAML

@Suite("A contract file") struct ContractFileTests {
    private let yaml = """
        # A daemon that plays.
        components:
          schemas:
            Mode: &mode {enum: [on, off, 12:30]}
        x-viewModels:
          player:
            inputs:
              volume: {schema: {type: integer, minimum: 0, maximum: 1e2}}
              mode: {schema: {$ref: '#/components/schemas/Mode'}}
        """
    private let json = #"""
        {"components": {"schemas": {"Mode": {"enum": ["on", "off", "12:30"]}}},
         "x-viewModels": {"player": {"inputs": {
           "volume": {"schema": {"type": "integer", "minimum": 0, "maximum": 1e2}},
           "mode": {"schema": {"$ref": "#/components/schemas/Mode"}}}}}}
        """#

    @Test func `is the same in YAML and in JSON`() throws {
        let contracts = try [yaml, json].map { try Contract(ContractNode(parsing: $0)) }
        #expect(contracts[0].hash == contracts[1].hash)
        for generator in ClientGenerator.all {
            #expect(generator.files(contracts[0]) == generator.files(contracts[1]), "\(generator.language)")
        }
    }

    @Test(arguments: [
        ("a: [", 2), ("a: 1\na: 2", 1), ("{\"a\":\n 1,,}", 2), ("", nil),
    ])
    func `has the line of an error`(text: String, line: Int?) throws {
        let fault = #expect(throws: ContractFault.self) { try ContractNode(parsing: text) }
        #expect(fault?.line == line)
    }
}
