import Testing

@testable import ClientGenerators
@testable import ViewModelContract

@Suite("A Python client") struct PythonClientTests {
    /// The client of types, without the runtime.
    private func client(types: String, schemas: String = "{}", info: String = "{}") throws -> String {
        let document = #"{"info": \#(info), "components": {"schemas": \#(schemas)}, "x-viewModels": \#(types)}"#
        let text = PythonClient.text(of: try Contract(ContractNode(json: document)), version: "1.0.0")
        let start = try #require(text.firstRange(of: "\n# The contract of "))
        return String(text[start.lowerBound...])
    }

    @Test func `names its generator and its contract`() throws {
        let document = #"{"info": {"title": "podcastd", "x-contract": "ab12"}, "x-viewModels": {"player": {}}}"#
        let text = PythonClient.text(of: try Contract(ContractNode(json: document)), version: "1.2.3")
        #expect(text.hasPrefix("\"\"\"The client of podcastd, made by `viewmodelctl generate python`.\n"))
        #expect(text.contains("generator: 1.2.3\ncontract: ab12\n\"\"\"\n\nfrom __future__ import annotations\n"))
        #expect(text.contains("    contract = \"ab12\"\n    daemon_name = \"podcastd\"\n"))
    }

    @Test func `has the descriptions of types, members, parameters and failures`() throws {
        let text = try client(
            types: #"""
                {"player": {"actions": {"playNext": {
                   "description": "Plays the next episode.",
                   "params": {"type": "object", "required": ["from"], "properties": {
                     "from": {"type": "integer", "description": "A number."}, "key": {"type": "string"}}},
                   "errors": [{"error": "noEpisode", "description": "There is none.", "retryable": true}]}}}}
                """#,
            schemas: #"""
                {"Episode": {"type": "object", "description": "An episode.", "required": ["at"], "properties": {
                   "at": {"type": "string", "format": "date-time", "description": "When it was published."}}}}
                """#
        )
        for part in [
            "class Episode:\n    \"\"\"An episode.\"\"\"\n",
            "    at: datetime\n    \"\"\"When it was published.\"\"\"\n",
            "        \"\"\"Plays the next episode.\n\n        Args:\n            from_: A number.\n\n"
                + "        Raises: NoEpisodeError\n        \"\"\"\n",
            "class NoEpisodeError(ActionFailed):\n    \"\"\"There is none.\n\n    A later call may succeed.\n    \"\"\"\n",
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test func `has a literal for an enum, whose unknown cases stay what they are`() throws {
        let text = try client(
            types: ##"{"lamp": {"outputs": {"color": {"schema": {"$ref": "#/components/schemas/Color"}}}}}"##,
            schemas: #"""
                {"Color": {"type": "string", "description": "A color.", "oneOf": [
                  {"const": "red", "description": "Like blood."}, {"const": "a\"b"}]}}
                """#
        )
        #expect(
            text.contains("Color = Literal[\"red\", \"a\\\"b\"]\n\"\"\"A color.\n\n- \"red\": Like blood.\n\"\"\"\n")
        )
        #expect(text.contains("        return cast(\"Color\", self._read(\"color\", as_case))\n"))
    }

    @Test(arguments: [
        ("Ends with a \"quote\"", "\"\"\"Ends with a \"quote\\\"\"\"\""), ("\"\"\"", "\"\"\"\\\"\\\"\\\"\"\"\""),
        ("a \\ b", "\"\"\"a \\\\ b\"\"\""), ("bell\u{7}, \u{202e}dnim", "\"\"\"bell, dnim\"\"\""),
        ("名前 😀", "\"\"\"名前 😀\"\"\""),
    ])
    func `escapes the description`(_ description: String, _ docstring: String) throws {
        let value = String(decoding: JSONString(description).bytes, as: UTF8.self)
        let text = try client(types: #"{"lamp": {"description": \#(value)}}"#)
        #expect(text.contains("class Lamp(ViewModel):\n    \(docstring)\n"))
    }

    @Test func `has no control character of the contract`() throws {
        let title = #""shop\u0000d\u001b[1m \u202e\u2028x\u0085y""#
        let text = try client(types: #"{"lamp": {"description": \#(title)}}"#, info: #"{"title": \#(title)}"#)
        let allowed: Set<Unicode.Scalar> = ["\n"]
        #expect(text.unicodeScalars.allSatisfy { allowed.contains($0) || !GeneratedText.isHidden($0) })
        #expect(text.hasPrefix("\n# The contract of shopd[1m"))
    }

    @Test func `has None for null, however the schema is written`() throws {
        let text = try client(
            types: #"""
                {"lamp": {"outputs": {"list": {"schema": {"type": ["null"]}}, "plain": {"schema": {"type": "null"}}}}}
                """#,
            schemas: #"""
                {"Pair": {"type": "object", "required": ["one"], "properties": {
                   "one": {"anyOf": [{"type": "null"}]}, "both": {"type": ["integer", "null"]}}}}
                """#
        )
        #expect(text.contains("    def list_(self) -> None:\n") && text.contains("    def plain(self) -> None:\n"))
        #expect(text.contains("    one: None\n    both: int | None\n"))
        #expect(!text.contains(":  | None") && !text.contains("as_optional(as_union())"))
    }

    @Test func `sends what is no object as value, and opens instances with their arguments`() throws {
        let text = try client(
            types: #"""
                {"lamp": {
                  "arguments": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
                  "inputs": {
                    "level": {"schema": {"type": "integer"}}, "poke": {"schema": {"type": "null"}},
                    "marks": {"schema": {"type": "object", "additionalProperties": {"type": "integer"}}},
                    "either": {"schema": {"anyOf": [
                      {"type": "object", "additionalProperties": {"type": "integer"}},
                      {"properties": {"name": {"type": "string"}}}]}}}}}
                """#
        )
        #expect(text.contains("        await self._call(\"level\", {\"value\": value}, {}, key=key, "))
        #expect(text.contains("        await self._call(\"poke\", {}, {}, key=key, "))
        #expect(text.contains("        await self._call(\"marks\", value, {}, key=key, "))
        #expect(text.contains("            value if isinstance(value, dict) else value.to_json(),\n"))
        #expect(text.contains("    async def open_lamp(self, id: str | None = None, *, id_: str) -> Lamp:\n"))
        #expect(text.contains("        return Lamp(self, await self.open(\"lamp\", id, {\"id\": id_}))\n"))
        #expect(!text.contains("async def bind("))
        let any = try client(types: #"{"lamp": {"arguments": {}}}"#)
        #expect(any.contains("async def open_lamp(self, id: str | None = None, *, value: dict[str, Any]) -> Lamp:\n"))
        #expect(any.contains("        return Lamp(self, await self.open(\"lamp\", id, value))\n"))
    }
}

/// A JSON string, for contracts in tests.
private struct JSONString {
    let bytes: [UInt8]

    init(_ text: String) {
        var result = "\""
        for scalar in text.unicodeScalars {
            let hex = String(scalar.value, radix: 16)
            if scalar == "\"" || scalar == "\\" {
                result += "\\" + String(scalar)
            } else if scalar.value < 32 {
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        bytes = Array((result + "\"").utf8)
    }
}
