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

    @Test func `names its generator and its contract, and has equal bytes for equal contracts`() throws {
        let document = #"{"info": {"title": "podcastd", "x-contract": "ab12"}, "x-viewModels": {"player": {}}}"#
        let texts = try (0..<2).map { _ in
            PythonClient.text(of: try Contract(ContractNode(json: document)), version: "1.2.3")
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].hasPrefix("\"\"\"The client of podcastd, made by `viewmodelctl generate python`.\n"))
        #expect(texts[0].contains("generator: 1.2.3\ncontract: ab12\n\"\"\"\n\nfrom __future__ import annotations\n"))
        #expect(texts[0].contains("    contract = \"ab12\"\n    daemon_name = \"podcastd\"\n"))
    }

    @Test func `has a frozen dataclass for an object, with typed formats and the optional members last`() throws {
        let text = try client(
            types: "{}",
            schemas: #"""
                {"Episode": {"type": "object", "description": "An episode.", "required": ["publishedAt", "price", "id"],
                  "properties": {
                    "note": {"type": "string"},
                    "publishedAt": {"type": "string", "format": "date-time", "description": "When it was published."},
                    "price": {"anyOf": [{"type": "string", "format": "decimal"}, {"type": "null"}]},
                    "id": {"type": "string", "format": "uuid"}}}}
                """#
        )
        #expect(
            text.contains(
                #"""
                @dataclass(frozen=True, init=False)
                class Episode:
                    """An episode."""

                    __match_args__ = ()
                    published_at: datetime
                    """When it was published."""
                    price: Decimal | None
                    id: UUID
                    note: str | None

                    def __init__(self, *, published_at: datetime, price: Decimal | None, id: UUID, note: str | None = None) -> None:
                        self.__dict__.update(published_at=published_at, price=price, id=id, note=note)

                    @classmethod
                    def from_json(cls, json: Any) -> Episode:
                        members = as_object(json)
                        return cls(
                            published_at=as_date(members.get("publishedAt")),
                            price=as_optional(as_decimal)(members.get("price")),
                            id=as_uuid(members.get("id")),
                            note=as_optional(as_text)(members.get("note")),
                        )

                    def to_json(self) -> dict[str, Any]:
                        return {
                            "publishedAt": self.published_at,
                            "price": self.price,
                            "id": self.id,
                            **without_none({"note": self.note}),
                        }
                """#
            )
        )
    }

    @Test func `has a method with keyword arguments, a docstring and the declared errors for an action`() throws {
        let text = try client(
            types: #"""
                {"player": {"actions": {"playNext": {
                   "description": "Plays the next episode.",
                   "params": {"type": "object", "required": ["from"], "properties": {
                     "from": {"type": "integer", "description": "A number."}, "key": {"type": "string"}}},
                   "result": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}},
                   "errors": [{"error": "noEpisode", "description": "There is none.", "retryable": true, "details":
                     {"type": "object", "required": ["left"], "properties": {"left": {"type": "integer"}}}}]}}}}
                """#
        )
        #expect(
            text.contains(
                #"""
                    async def play_next(
                        self,
                        *,
                        from_: int,
                        key_: str | None = None,
                        deadline: float | None = None,
                        key: str | None = None,
                        retry: bool = False,
                    ) -> PlayerPlayNextResult:
                        """Plays the next episode.

                        Args:
                            from_: A number.

                        Raises: NoEpisodeError
                        """
                        return PlayerPlayNextResult.from_json(await self._call(
                            "playNext",
                            {"from": from_, **without_none({"key": key_})},
                            {"noEpisode": NoEpisodeError},
                            deadline=deadline,
                            key=key,
                            retry=retry,
                        ))
                """#
            )
        )
        #expect(
            text.contains(
                #"""
                class NoEpisodeError(ActionFailed):
                    """There is none.

                    A later call may succeed.
                    """

                    @property
                    def details(self) -> NoEpisodeDetails:
                        return NoEpisodeDetails.from_json(super().details)
                """#
            )
        )
    }

    @Test func `has typed outputs, events, windows and fields`() throws {
        let text = try client(
            types: #"""
                {"mail": {
                  "outputs": {
                    "query": {"schema": {"type": "string"}, "description": "What is searched for."},
                    "mails": {"kind": "list", "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Mail"}}},
                    "chime": {"kind": "event", "schema": {"type": "string"}}},
                  "inputs": {"query": {"schema": {"type": "string"}}},
                  "actions": {"send": {}}}}
                """#,
            schemas: #"""
                {"Mail": {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}}
                """#
        )
        #expect(text.contains("    def query(self) -> str:\n        \"\"\"What is searched for.\"\"\"\n"))
        #expect(text.contains("    def mails(self) -> Rows[Mail_2]:\n"))
        #expect(text.contains("MailOutput = Literal[\"query\", \"mails\", \"chime\", \"send.enabled\", "))
        #expect(text.contains("MailList = Literal[\"mails\"]\n"))
        #expect(text.contains("class MailChime(Event):"))
        #expect(text.contains("-> Binding[MailPicture, MailChime]:"))
        #expect(text.contains("    async def query_field(self, *, interval: float = 0) -> Field[str]:\n"))
        #expect(text.contains("    def query_field(self, *, interval: float = 0) -> SyncField[str]:\n"))
        #expect(text.contains("    send = blocking(Mail.send)\n    read = blocking(Mail.read)\n"))
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

    @Test func `gives distinct names, which do not depend on the other members where that is possible`() throws {
        let text = try client(
            types: #"{"session2": {}, "lab": {"actions": {"aURL": {}, "aUrl": {}, "class": {}, "bind": {}}}}"#,
            schemas: #"""
                {"Lab": {"type": "object", "properties": {
                   "x-y": {}, "aB": {}, "x_y": {}, "a_b": {}, "from": {}, "1st": {}, "": {}, "to_json": {}, "str": {},
                   "self": {}, "名前": {}, "имяПоля": {}, "größe": {}}},
                 "lab": {"type": "object", "properties": {}}, "Client": {"type": "object", "properties": {}},
                 "ValueError": {"type": "object", "properties": {}}, "a.b": {"type": "object", "properties": {}},
                 "имя": {"type": "object", "properties": {}}}
                """#
        )
        for name in ["Lab_2", "Lab_3", "Client_", "ValueError_", "AB", "Имя"] {
            #expect(text.contains("\nclass \(name):\n"))
        }
        let members = [
            "x_y", "x_u2d_y", "a_b", "aB", "from_", "x1st", "x", "to_json_", "str_", "self_", "名前", "имя_поля", "größe",
        ]
        for name in members { #expect(text.contains("\n    \(name): Any\n"), "\(name)") }
        for name in ["a_url", "aUrl", "class_", "bind_"] { #expect(text.contains("    async def \(name)(self, *,")) }
        #expect(text.contains("x_u2d_y=as_any(members.get(\"x-y\"))"))
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
