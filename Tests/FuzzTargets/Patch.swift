import JSONRPC
import ViewModelProtocol

/// Applies the patch of the second line to the document of the first one.
///
/// A patch that fails leaves the document alone. Patch and pointers survive being written.
func fuzzPatch(_ input: UnsafeRawBufferPointer) {
    let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1)
    guard lines.count == 2, let document = JSONValue(text: Array(lines[0])) else { return }
    let text = Array(lines[1])
    guard (try? text.withUnsafeBytes { try JSONText.validate($0) }) != nil,
        let patch = try? text.withUnsafeBytes({ try JSONValueDecoder.decode(JSONPatch.self, from: $0) }),
        // Each `copy` can double the document.
        patch.operations.count <= 12
    else { return }

    var writer = JSONWriter()
    guard (try? writer.encode(patch)) != nil else { fatalError("the patch cannot be written") }
    let again = try? writer.bytes.withUnsafeBytes { try JSONValueDecoder.decode(JSONPatch.self, from: $0) }
    require(again == patch, "the patch became \(String(describing: again))")
    for path in patch.paths {
        let pointer = JSONPointer(path.description)
        require(pointer == path, "the pointer \(path) became \(String(describing: pointer))")
        require(path.contains(path), "the pointer \(path) leads elsewhere")
        _ = document[path]
    }

    var result = document
    do {
        try patch.apply(to: &result)
        require(JSONValue(text: result.description) == result, "the result cannot be read: \(result)")
    } catch {
        require(result == document, "a patch that failed changed \(document) to \(result)")
        require(patch.operations.indices.contains(error.operation), "operation \(error.operation) failed")
    }
}
