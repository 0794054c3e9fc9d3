"""Writes a contract that is hard on generators: `python3 adversarial.py > contract.json`.

200 members, the keywords of several languages, descriptions with quotes, backslashes and the ends of comments, names that
differ by their case only, deep nesting, empty objects, recursion, and every format.
"""
import json

KEYWORDS = """
and as assert async await break case catch class const continue def default del delete do double elif else enum except
export extends extension fallthrough false final finally float for from func function global goto guard if implements import
in init inout instanceof int interface internal is lambda let long match native new nil none nonlocal not null object open
operator or package pass print private protected protocol public raise repeat rethrows return self short static str struct
subscript super switch synchronized this throw throws transient true try type typealias typeof undefined union unless until
var void volatile where while with yield bool bytes dict list map set tuple property id hash max min sum input filter range
client target bind read raw deadline key retry value result params answer json cls window windows outputs interval
constructor prototype arguments eval then toString valueOf hasOwnProperty dataclass datetime decimal field picture
description init deinit get some any actor blocking
abstract symbol unknown length name connection on emit call request send close toJSON
""".split()

TEXTS = [
    'A "quoted" text, \'single\' too.', 'Ends with a quote"', '"""', 'Three """ in the middle and \'\'\' too.',
    "A backslash \\ and \\n and \\u0041 and C:\\new\\table\\", "*/ ends a comment, /* begins one", "`code` and ${expansion} %s {0} #{x}",
    "Größe, 名前, עִבְרִית, 😀👩‍👩‍👧", "control \u0007 and \u0000, separator \u2028 and \u2029, bidi \u202e and \u2066",
    "First line.\n\nSecond paragraph,\n- with a list\n    and indentation.\n\n", "", " ", "\n", "word " * 80, "x" * 300,
    "<b>markup</b> &amp; //", "\\", "\\\"\"\"", "trailing space ", "---", "# heading", "@param x y", ":param x: y", "\t tab",
]


def texts():
    while True:
        yield from TEXTS


def contract() -> dict:
    text = texts()

    def doc(schema: dict) -> dict:
        return {**schema, "description": next(text)}

    def obj(required=None, **members) -> dict:
        return doc({"type": "object", "properties": members, "required": list(members) if required is None else required})

    string, integer, number, boolean = ({"type": t} for t in ("string", "integer", "number", "boolean"))
    date, data = ({"type": "string", "format": each} for each in ("date-time", "byte"))
    nullable = lambda schema: {"anyOf": [schema, {"type": "null"}]}         # noqa: E731
    ref = lambda name: {"$ref": f"#/components/schemas/{name}"}              # noqa: E731
    deep = string
    for level in range(12):
        deep = obj(**{f"level{level}": nullable(deep), "items": {"type": "array", "items": deep}} if level % 4 == 3
                   else {f"level{level}": deep})
    odd = ["from", "From", "FROM", "self", "x-y", "x_y", "x y", "xY", "XY", "1st", "", "_", "__init__", "größe", "名前", "a.b",
           "\"", "\\", "'", "\n", "$ref", "from_json", "to_json", "fromJson", "class", "None", "datetime", "str", "😀"]
    schemas = {
        "Everything": obj(
            **{"date": {"type": "string", "format": "date-time"}, "data": {"type": "string", "format": "byte"},
               "more": {"type": "string", "contentEncoding": "base64"}, "money": {"type": "string", "format": "decimal"},
               "uuid": {"type": "string", "format": "uuid"}, "int64": {"type": "integer", "format": "int64"},
               "double": {"type": "number", "format": "double"}, "secret": {"type": "string", "format": "password", "writeOnly": True},
               "any": {}, "nothing": {"type": "null"}, "both": {"type": ["string", "integer", "null"]}}),
        "Odd": obj(**{name: string for name in odd}),
        "Optional": obj(required=["needed"], first=string, needed=nullable(string), second=nullable(integer)),
        "Empty": obj(),
        "Closed": {"type": "object", "additionalProperties": False},
        "Free": {"type": "object", "additionalProperties": doc(integer)},
        "Anything": {},
        "Deep": deep,
        "Tree": obj(value=string, children={"type": "array", "items": ref("Tree")}, parent=nullable(ref("Tree"))),
        "Nested": {"anyOf": [string, {"type": "array", "items": ref("Nested")}]},
        "Color": doc({"type": "string", "enum": ["red", "RED", "Red", "", " ", "1", "a-b", "a_b", "class", "None", '"', "\\", "\n",
                                                  "😀", "+", "-", "*", "init", "self", "Type"]}),
        "Level": doc({"type": "integer", "enum": [-1, 0, 1, 12345678901]}),
        "Mixed": {"enum": ["a", 1, None, True]},
        "Shape": {"anyOf": [obj(circle=obj(radius=number)), obj(square=obj(side=number)), obj(empty=obj())]},
        "Converted": {"type": "object", "required": ["__proto__", "date"], "properties": {
            "__proto__": date, "date": date, "map": {"type": "object", "additionalProperties": date},
            "big": {"type": "integer", "minimum": 0, "maximum": 2**64 - 1},
            "edge": {"type": "integer", "minimum": -(2**53), "maximum": 2**53},
            "self": nullable(ref("Converted")), "union": nullable({"anyOf": [string, integer, {"type": "array", "items": data}]}),
            "tagged": {"oneOf": [
                {"type": "object", "required": ["kind", "at"], "properties": {"kind": {"const": "a"}, "at": date}},
                {"type": "object", "required": ["kind", "at"], "properties": {"kind": {"const": "b"}, "at": string}}]}}},
        # Names that are taken: by runtimes, by languages, by ViewModels, and by each other.
        **{name: obj(x=integer) for name in
           ["Session", "Client", "Binding", "Event", "Error", "Exception", "Promise", "String", "Int", "Object", "Any", "Picture",
            "Hard", "hard", "HARD", "HardPicture", "SyncHard", "Optional_", "list", "str", "type", "None", "self", "Value", "Self",
            "Type", "Protocol", "a.b", "a_b", "AB", "aB", "x y", "1", "größe", "TimeoutError"]},
    }
    outputs: dict = {}
    for word in KEYWORDS:
        outputs[word] = {"kind": "state", "schema": string, "description": next(text)}
    for index in range(200):
        outputs[f"member{index}"] = {"kind": "state", "schema": ref(list(schemas)[index % len(schemas)]), "description": next(text)}
    for pair in ("fooBar", "foobar", "fooBAR", "foObar", "aURL", "aUrl", "x1", "x1Y", "x1y"):
        outputs[pair] = {"kind": "state", "schema": nullable(integer), "description": next(text)}
    row = obj(id=integer, color=ref("Color"))
    outputs["rows"] = {"kind": "list", "schema": {"type": "array", "items": row}, "description": next(text)}
    outputs["trees"] = {"kind": "list", "schema": {"type": "array", "items": obj(id=string, tree=ref("Tree"))}, "description": ""}
    outputs["bang"] = {"kind": "event", "schema": ref("Shape"), "description": next(text)}
    outputs["nothing"] = {"kind": "event", "schema": {"type": "null"}, "description": next(text)}
    inputs = {f"put{word[0].upper()}{word[1:]}": {"schema": string, "description": next(text)} for word in KEYWORDS[:10]}
    inputs |= {
        "setAll": {"schema": obj(**{word: integer for word in KEYWORDS}), "description": next(text)},
        "setOdd": {"schema": ref("Odd"), "description": next(text)},
        "setFree": {"schema": ref("Free"), "description": next(text)},
        "setShape": {"schema": ref("Shape"), "description": next(text)},
        "setColor": {"schema": nullable(ref("Color")), "description": next(text)},
        "setAnything": {"schema": {}, "description": next(text)},
        "setEmpty": {"schema": ref("Empty"), "description": next(text)},
        "setNested": {"schema": ref("Nested"), "description": next(text)},
        "setOptional": {"schema": ref("Optional"), "description": next(text)},
        "poke": {"schema": {"type": "null"}, "description": next(text)},
    }
    outputs["text"] = {"kind": "state", "schema": string, "description": next(text)}
    inputs["text"] = {"schema": string, "description": next(text), "field": True}
    outputs["shade"] = {"kind": "state", "schema": ref("Color"), "description": next(text)}
    inputs["shade"] = {"schema": ref("Color"), "description": next(text), "field": True}

    def failure(error, details=None, retryable=False):
        return {"error": error, "description": next(text), "retryable": retryable, "details": details}

    actions = {
        "run": {"params": obj(required=["from", "deadline"], **{"from": integer, "deadline": string, "key": string, "self": string}),
                "result": ref("Deep"), "policy": "queued", "description": next(text),
                "errors": [failure("notFound", obj(name=string)), failure("runtimeError"), failure("error", ref("Tree"), True)]},
        "walk": {"params": {"type": "object"}, "result": ref("Color"), "policy": "shared", "description": next(text),
                 "errors": [failure("notFound", obj(path=string)), failure("import", ref("Color")), failure("a-b"), failure("aB")]},
        "class": {"params": {}, "result": {"anyOf": [string, integer]}, "policy": "latest", "description": next(text), "errors": []},
        "none": {"params": obj(), "result": {"type": "null"}, "description": next(text)},
    }
    types = {
        "hard": {"description": next(text), "arguments": obj(required=["id"], id=string, type=string, **{"class": integer}),
                 "inputs": inputs, "outputs": outputs, "actions": actions, "children": {"child": "inner", "class": "inner"}},
        "hArd": {"description": "", "arguments": {}, "inputs": {}, "outputs": {}, "actions": {}, "children": {}},
        "words": {"description": next(text), "outputs": {}, "actions": {}, "children": {},
                  "inputs": {word: {"schema": string, "description": next(text)} for word in KEYWORDS}},
        "calls": {"description": "", "inputs": {}, "children": {},
                  "outputs": {"converted": {"kind": "state", "schema": ref("Converted"), "description": ""}},
                  "actions": {word: {"params": obj(**{word: string}), "description": next(text), "errors": [failure(word)]}
                              for word in KEYWORDS}},
        "inner": {"description": next(text), "inputs": {"bind": {"schema": string, "description": ""}}, "outputs": {}, "actions": {},
                  "children": {}},
        **{name: {"description": next(text), "inputs": {"select": {"schema": {"type": "null"}, "description": ""}},
                  "outputs": {"value": {"kind": "state", "schema": boolean, "description": ""}}, "actions": {}, "children": {}}
           for name in ("client", "binding", "event", "class", "self", "call", "close", "open", "openHard", "picture", "error",
                        "promise", "object", "string", "exception", "rpc2", "sync", "syncHard", "hard-2", "hard_2", "X", "none")},
    }
    info = {"title": "adversary\n// daemon */", "version": '1"\\\n', "x-contract": "f" * 64}
    return {"openrpc": "1.3.2", "info": info, "methods": [],
            "components": {"schemas": schemas}, "x-viewModels": types}


if __name__ == "__main__":
    print(json.dumps(contract()))
