package import ViewModelProtocol

/// The pictures of a connection, as its messages have built them.
struct ReplayPictures {
    /// The requests without a reply that change what is bound, by the text of their ids.
    private var requests: [ExactString: Request] = [:]
    /// The pictures by instance; nil for one that the messages do not show.
    private var pictures: [String: Picture?] = [:]

    private enum Request {
        case bind(Binding)
        case unbind(String)
        case attach
    }

    /// The facts of a bind that decide whether another one may resume it.
    struct Binding {
        /// The outputs and windows.
        let members: JSONValue
        let since: Since?

        fileprivate init(_ params: JSONValue?) {
            members = .array([params?["outputs"] ?? .null, params?["windows"] ?? .null])
            since = params?["since"].flatMap { try? decode(Since.self, $0) }
        }
    }

    /// A change of a picture.
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

    /// A message of the daemon that does not fit those before it.
    struct Misfit: Error {
        let reason: String
    }

    /// The values of a bound instance; nil inside for a picture that the messages do not show.
    subscript(instance: String) -> JSONObject?? { pictures[instance].map { $0?.values } }

    /// Handles a request of the client.
    mutating func sent(_ message: JSONValue) {
        guard let id = message.idKey else { return }
        let params = message["params"]
        switch message["method"]?.stringValue {
        case ViewModelBind.name: requests[id] = .bind(Binding(params))
        case ViewModelUnbind.name: requests[id] = .unbind(params?["id"]?.stringValue ?? "")
        case SessionAttach.name: requests[id] = .attach
        default: break
        }
    }

    /// Handles a message of the daemon that is no batch.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - earlier: returns the picture of an instance that a client resumes.
    /// - Returns: the changes by instance.
    /// - Throws: ``Misfit`` if it does not fit. The picture of its instance is unknown then.
    @discardableResult
    mutating func received(
        _ message: JSONValue,
        _ earlier: (_ instance: String, Binding) -> Picture? = { _, _ in nil }
    ) throws(Misfit) -> [(instance: String, change: Change)] {
        switch message["method"]?.stringValue {
        case ViewModelChanged.name: return try apply(frame: message["params"] ?? .null)
        case ViewModelClosed.name: return drop([message["params"]?["id"]?.stringValue ?? ""])
        case SessionClosed.name: return drop(Array(pictures.keys))
        case nil:
            guard let id = message.idKey, let request = requests.removeValue(forKey: id),
                let result = message["result"]
            else { return [] }
            switch request {
            case .attach: return drop(Array(pictures.keys))
            case .unbind(let instance): return drop([instance])
            case .bind(let binding): return try bind(result, binding, earlier)
            }
        default: return []
        }
    }

    private mutating func drop(_ instances: [String]) -> [(instance: String, change: Change)] {
        for instance in instances { pictures[instance] = nil }
        return instances.map { ($0, .unknown) }
    }

    private mutating func bind(
        _ result: JSONValue,
        _ binding: Binding,
        _ earlier: (_ instance: String, Binding) -> Picture?
    ) throws(Misfit) -> [(instance: String, change: Change)] {
        let result = try decoded(ViewModelBind.Result.self, result, "the reply to viewModel.bind")
        var picture = result.full ? Picture(result) : earlier(result.id, binding)
        if !result.full {
            do { try picture?.apply(result) } catch {
                pictures.updateValue(nil, forKey: result.id)
                throw Misfit(reason: "the patch does not fit the picture before it: \(error)")
            }
        }
        pictures.updateValue(picture, forKey: result.id)
        return [(result.id, picture.map { .picture($0, of: binding.members) } ?? .unknown)]
    }

    private mutating func apply(frame: JSONValue) throws(Misfit) -> [(instance: String, change: Change)] {
        guard let instance = frame["id"]?.stringValue else { throw Misfit(reason: "the frame has no instance") }
        // Without a picture, the binding was made before the recording.
        guard case .some(.some(var picture)) = pictures[instance] else { return [] }
        pictures.updateValue(nil, forKey: instance)
        let frame = try decoded(ViewModelChanged.Params.self, frame, "the frame")
        guard frame.seq >= picture.seq else {
            throw Misfit(reason: "the step \(frame.seq) of the frame is before the step \(picture.seq) of its picture")
        }
        do { try picture.apply(frame) } catch {
            throw Misfit(reason: "the patch does not fit the picture before it: \(error)")
        }
        pictures.updateValue(picture, forKey: instance)
        return [(instance, .frame(frame))]
    }

    private func decoded<Value: Decodable>(
        _ type: Value.Type,
        _ value: JSONValue,
        _ what: String
    ) throws(Misfit) -> Value {
        do { return try decode(type, value) } catch {
            throw Misfit(
                reason: "\(what) has \(error.found) at \"\(error.path)\" where \(error.expected) is expected"
            )
        }
    }
}

/// Decodes a value of the protocol, which may have members of a later version.
private func decode<Value: Decodable>(_ type: Value.Type, _ value: JSONValue) throws(ValueMismatch) -> Value {
    try value.text.withUnsafeBytes { bytes in
        Result { () throws(ValueMismatch) in try JSONValueDecoder.decode(type, from: bytes, isLenient: true) }
    }.get()
}

extension JSONValue {
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
