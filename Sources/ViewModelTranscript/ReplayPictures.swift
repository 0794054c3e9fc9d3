import ViewModelProtocol

/// The pictures of a connection, as its messages have built them.
struct ReplayPictures {
    /// The values by instance; nil for a picture that the messages do not show.
    private(set) var values: [String: JSONObject?] = [:]
    /// The requests without a reply that change what is bound, by the text of their ids.
    private var requests: [ExactString: Request] = [:]
    private var pictures: [String: Picture] = [:]

    private enum Request {
        case bind
        case unbind(String)
        case attach
    }

    /// Handles a request of the client.
    mutating func sent(_ message: JSONValue) {
        guard let id = message.idKey else { return }
        let params = message["params"]
        switch message["method"]?.stringValue {
        case ViewModelBind.name: requests[id] = .bind
        case ViewModelUnbind.name: requests[id] = .unbind(params?["id"]?.stringValue ?? "")
        case SessionAttach.name: requests[id] = .attach
        default: break
        }
    }

    /// Handles a message of the daemon that is no batch.
    ///
    /// - Parameters:
    ///   - message: the message.
    ///   - earlier: returns the picture of an instance in an epoch at a step, for a binding that was resumed.
    mutating func received(_ message: JSONValue, _ earlier: (Picture) -> Picture?) {
        let params = message["params"]
        switch message["method"]?.stringValue {
        case ViewModelChanged.name: if let params { apply(frame: params) }
        case ViewModelClosed.name: drop(params?["id"]?.stringValue ?? "")
        case SessionClosed.name: dropAll()
        case nil:
            guard let id = message.idKey, let request = requests.removeValue(forKey: id),
                let result = message["result"]
            else { return }
            switch request {
            case .attach: dropAll()
            case .unbind(let instance): drop(instance)
            case .bind: bind(result, earlier)
            }
        default: break
        }
    }

    /// The known pictures by instance.
    var known: [String: Picture] { pictures }

    private mutating func drop(_ instance: String) {
        values[instance] = nil
        pictures[instance] = nil
    }

    private mutating func dropAll() {
        values = [:]
        pictures = [:]
    }

    private mutating func bind(_ result: JSONValue, _ earlier: (Picture) -> Picture?) {
        guard let instance = result["id"]?.stringValue else { return }
        let whole = Picture(
            id: instance,
            epoch: result["epoch"]?.stringValue ?? "",
            seq: result["seq"]?.intValue ?? 0,
            values: result["values"]?.objectValue ?? [:]
        )
        if result["full"]?.boolValue == true {
            keep(whole)
        } else if let picture = pictures[instance] ?? earlier(whole) {
            keep(picture)
            apply(frame: result)
        } else {
            keep(nil, of: instance)
        }
    }

    private mutating func apply(frame: JSONValue) {
        guard let instance = frame["id"]?.stringValue, var picture = pictures[instance] else { return }
        let patch = frame["patch"].map { value in
            value.text.withUnsafeBytes { try? JSONValueDecoder.decode(JSONPatch.self, from: $0) }
        }
        if case .some(.none) = patch { return keep(nil, of: instance) }
        let params = ViewModelChanged.Params(
            id: instance,
            seq: frame["seq"]?.intValue ?? picture.seq,
            values: frame["values"]?.objectValue,
            patch: patch ?? nil
        )
        keep((try? picture.apply(params)) == nil ? nil : picture, of: instance)
    }

    private mutating func keep(_ picture: Picture) {
        keep(picture, of: picture.id)
    }

    private mutating func keep(_ picture: Picture?, of instance: String) {
        pictures[instance] = picture
        values.updateValue(picture?.values, forKey: instance)
    }
}

extension JSONValue {
    /// The id of a message as a key; nil without one.
    ///
    /// Numbers are different if they are written differently.
    var idKey: ExactString? { self["id"].map { ExactString($0.description) } }
}

extension ExactString {
    /// The key of the id `null`.
    static let null = ExactString("null")
}
