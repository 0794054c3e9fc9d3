package import ViewModelProtocol

/// The pictures of a connection, as its messages have built them.
struct ReplayPictures {
    /// The requests without a reply that change what is bound, by the text of their ids.
    private var requests: [ExactString: Request] = [:]
    /// The pictures by binding; nil for one that the messages do not show.
    private var pictures: [BindingKey: Picture?] = [:]

    private enum Request {
        case bind(Binding)
        case unbind(BindingKey)
        case attach
    }

    /// The params of a bind that decide whether another one may resume it.
    struct Binding {
        /// The outputs and windows.
        let members: JSONValue
        let since: Since?

        fileprivate init(_ params: JSONValue?) {
            // An anchored window is resumed where it has moved.
            let windows = params?["windows"]?.objectValue?.mapValues { window -> JSONValue in
                guard window["anchor"]?.boolValue == true else { return window }
                return .array([window["limit"] ?? .null])
            }
            members = .array([params?["outputs"] ?? .null, windows.map { JSONValue.object($0) } ?? .null])
            since = params?["since"].flatMap { try? decode(Since.self, $0, "since", at: 0) }
        }
    }

    enum Change {
        /// A new picture, of a binding with these outputs and windows.
        case picture(Picture, of: JSONValue)
        /// A frame, which fits the picture.
        case frame(ViewModelChanged.Params)
        /// The binding has ended, or its picture is not known.
        case unknown

        func apply(to picture: inout Picture?) {
            switch self {
            case .picture(let new, _): picture = new
            case .frame(let frame): _ = try? picture?.apply(frame)
            case .unknown: picture = nil
            }
        }
    }

    /// The values of a binding; nil inside for a picture that the messages do not show.
    subscript(binding: BindingKey) -> JSONObject?? { pictures[binding].map { $0?.values } }

    mutating func sent(_ message: JSONValue) {
        guard let id = message.idKey else { return }
        let params = message["params"]
        switch message["method"]?.stringValue {
        case ViewModelBind.name: requests[id] = .bind(Binding(params))
        case ViewModelUnbind.name: requests[id] = .unbind(params?.binding ?? BindingKey(instance: ""))
        case SessionAttach.name: requests[id] = .attach
        default: break
        }
    }

    /// Handles a message of the daemon that is no batch; returns the changes by binding.
    ///
    /// - Throws: ``TranscriptError`` if it does not fit the messages before it. The picture of its instance is unknown
    ///   then.
    @discardableResult
    mutating func received(
        _ message: JSONValue,
        at line: Int,
        _ earlier: (BindingKey, Binding) -> Picture? = { _, _ in nil }
    ) throws(TranscriptError) -> [(binding: BindingKey, change: Change)] {
        switch message["method"]?.stringValue {
        case ViewModelChanged.name: return try apply(frame: message["params"] ?? .null, at: line)
        case ViewModelClosed.name:
            let instance = message["params"]?["id"]?.stringValue
            return drop(pictures.keys.filter { $0.instance == instance })
        case SessionClosed.name: return drop(Array(pictures.keys))
        case nil:
            guard let id = message.idKey, let request = requests.removeValue(forKey: id),
                let result = message["result"]
            else { return [] }
            switch request {
            case .attach: return drop(Array(pictures.keys))
            case .unbind(let binding): return drop([binding])
            case .bind(let binding): return try bind(result, binding, at: line, earlier)
            }
        default: return []
        }
    }

    private mutating func drop(_ bindings: [BindingKey]) -> [(binding: BindingKey, change: Change)] {
        for binding in bindings { pictures[binding] = nil }
        return bindings.map { ($0, .unknown) }
    }

    private mutating func bind(
        _ result: JSONValue,
        _ binding: Binding,
        at line: Int,
        _ earlier: (BindingKey, Binding) -> Picture?
    ) throws(TranscriptError) -> [(binding: BindingKey, change: Change)] {
        let result = try decode(ViewModelBind.Result.self, result, "the reply to viewModel.bind", at: line)
        let key = BindingKey(instance: result.id, tag: result.tag)
        var picture = result.full ? Picture(result) : earlier(key, binding)
        if !result.full {
            do { try picture?.apply(result) } catch {
                pictures.updateValue(nil, forKey: key)
                throw TranscriptError(line: line, reason: "the patch does not fit the picture before it: \(error)")
            }
        }
        pictures.updateValue(picture, forKey: key)
        return [(key, picture.map { .picture($0, of: binding.members) } ?? .unknown)]
    }

    private mutating func apply(
        frame: JSONValue,
        at line: Int
    ) throws(TranscriptError) -> [(binding: BindingKey, change: Change)] {
        guard let binding = frame.binding else {
            throw TranscriptError(line: line, reason: "the frame has no instance")
        }
        // Without a picture, the binding was made before the recording.
        guard case .some(.some(var picture)) = pictures[binding] else { return [] }
        pictures.updateValue(nil, forKey: binding)
        let frame = try decode(ViewModelChanged.Params.self, frame, "the frame", at: line)
        guard frame.seq >= picture.seq else {
            let reason = "the step \(frame.seq) of the frame is before the step \(picture.seq) of its picture"
            throw TranscriptError(line: line, reason: reason)
        }
        do { try picture.apply(frame) } catch {
            throw TranscriptError(line: line, reason: "the patch does not fit the picture before it: \(error)")
        }
        pictures.updateValue(picture, forKey: binding)
        return [(binding, .frame(frame))]
    }
}

/// Decodes a value of the protocol, which may have members of a later version.
private func decode<Value: Decodable>(
    _ type: Value.Type,
    _ value: JSONValue,
    _ subject: String,
    at line: Int
) throws(TranscriptError) -> Value {
    let result = value.text.withUnsafeBytes { bytes in
        Result { () throws(ValueMismatch) in try JSONValueDecoder.decode(type, from: bytes, isLenient: true) }
    }
    return try result.mapError { error in
        let found = "\(subject) has \(error.found) at \"\(error.path)\""
        return TranscriptError(line: line, reason: "\(found) where \(error.expected) is expected")
    }.get()
}

extension JSONValue {
    /// The binding that params name; nil without an instance.
    package var binding: BindingKey? {
        self["id"]?.stringValue.map { BindingKey(instance: $0, tag: self["tag"]?.stringValue) }
    }

    /// The messages of a batch, or the one message.
    package var messages: [JSONValue] { arrayValue ?? [self] }

    /// The session that a reply to `session.attach` names, and whether it had no values before.
    package var attachedSession: (name: String, isNew: Bool)? {
        guard let result = self["result"], let name = result["session"]?.stringValue else { return nil }
        return (name, result["created"]?.boolValue == true && result["restored"]?.boolValue != true)
    }

    /// The id of a message as a key; nil without one.
    ///
    /// Numbers are different if they are written differently.
    var idKey: ExactString? { self["id"].map { ExactString($0.description) } }
}

extension ExactString {
    /// The key of the id `null`.
    static let null = ExactString("null")
}
