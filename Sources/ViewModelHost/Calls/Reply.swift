import Logging
import ViewModelKit
import ViewModelProtocol

/// The reply to a request.
enum Reply: Sendable {
    static let null = Reply.result(Array("null".utf8))

    /// The step after which an input's immediate effects are visible, and whether a frame of the sender's binding is
    /// held.
    case sequence(Int, isHeld: Bool)
    /// A result as JSON text.
    case result([UInt8])
    /// An error, indirect because it is large and rare.
    indirect case error(ProtocolError)

    /// Writes the JSON-RPC response to the request `id`.
    func write(to id: RequestID, with writer: inout JSONWriter) {
        switch self {
        case .sequence(let sequence, let isHeld):
            // Most replies are of this kind, so it is written in one bounded piece.
            let capacity = 60 + BoundedJSONWriter.capacity(for: id) + BoundedJSONWriter.longestInteger
            writer.write(atMost: capacity) { bounded in
                bounded.raw("{\"jsonrpc\":\"2.0\",\"id\":")
                bounded.id(id)
                bounded.raw(",\"result\":{\"seq\":")
                bounded.integer(sequence)
                if isHeld { bounded.raw(",\"held\":true}}") } else { bounded.raw("}}") }
            }
        case .result(let text):
            Self.begin(id, &writer)
            writer.raw(",\"result\":")
            writer.raw(text)
            writer.byte(UInt8(ascii: "}"))
        case .error(let error):
            Self.begin(id, &writer)
            writer.raw(",\"error\":")
            error.write(to: &writer)
            writer.byte(UInt8(ascii: "}"))
        }
    }

    private static func begin(_ id: RequestID, _ writer: inout JSONWriter) {
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        id.write(to: &writer)
    }
}

extension Host {
    /// Encodes a typed result of one of the protocol's own methods.
    func reply(_ result: some Encodable, _ metadata: @autoclosure () -> Logger.Metadata) -> Reply {
        do {
            var writer = JSONWriter()
            try writer.encode(result)
            return .result(writer.bytes)
        } catch {
            return .error(.internalError(incident: incident(error, in: "encoding a result", metadata())))
        }
    }
}

extension Reply {
    /// Creates the reply of an action that has ended or was refused.
    init(_ outcome: ActionOutcome, of action: String = "") {
        self =
            switch outcome {
            case .success(let text): .result(text)
            case .failure(let failure):
                .error(
                    .actionFailed(
                        error: failure.error,
                        details: failure.details.flatMap { JSONValue(text: $0.text) },
                        retryable: failure.retryable,
                        message: failure.message
                    )
                )
            case .invalid(let invalid): .error(ProtocolError(invalid, at: ""))
            case .fault(let incident): .error(.internalError(incident: incident))
            case .cancelled: .error(.cancelled)
            case .deadlinePassed(let milliseconds): .error(.deadlinePassed(deadline: milliseconds))
            case .disabled: .error(.disabled(action: action))
            case .executing: .error(.executing(action: action))
            case .limitExceeded(let limit, let value): .error(.limitExceeded(limit: limit, value: value))
            }
    }
}

extension ProtocolError {
    /// Creates the error for an invalid value at `path` in the params.
    init(_ invalid: InvalidValue, at path: String) {
        self = .invalidParams(
            path: invalid.isElsewhere ? "" : path + invalid.path,
            expected: invalid.expected,
            found: invalid.found,
            suggestions: invalid.suggestions.isEmpty
                ? nil : Suggestions.close(to: invalid.name, among: invalid.suggestions)
        )
    }
}

extension ProtocolError {
    /// The refusal for a ViewModel that opens an instance: an `InvalidValue`, a `LimitExceeded`, or the error as it is.
    var ofViewModel: any Error {
        func text(_ name: String) -> String { data?[name]?.stringValue ?? "" }
        switch code {
        case .invalidParams:
            let (path, expected) = (text("path"), text("expected"))
            let place = path.isEmpty ? "" : ", as \(path) of viewModel.open"
            var invalid = InvalidValue(expected: expected + place, found: text("found"))
            invalid.isElsewhere = true
            return invalid
        case .limitExceeded: return LimitExceeded(limit: text("limit"), value: data?["value"]?.intValue ?? 0)
        default: return self
        }
    }
}

extension InvalidValue {
    /// The name for which there are suggestions: the string that was found, with or without the quotes of JSON.
    fileprivate var name: String { misspelt ?? JSONValue(text: found)?.stringValue ?? found }
}
