import ViewModelProtocol

/// The client's entry of a field.
struct ClientField {
    typealias Event = (inout FieldMachine<JSONValue>) -> Void

    /// Reports an event to the field, unless it was released.
    let apply: (Event) -> Void
    let instance: String
    let name: String
    /// Whether an object is sent as the member `value`.
    let isWrapped: Bool
    /// The binding whose picture has the output.
    let binding: ViewModelBinding
    /// The epoch of the latest picture.
    var epoch: String?
}

extension ViewModelClient {
    /// Returns a field: an input and a state output of the same name and type.
    ///
    /// The field uses a binding of the client that has the output. Without one it binds the output alone.
    ///
    /// - Parameters:
    ///   - instance: The instance's id.
    ///   - name: The name of the input and of the output.
    ///   - type: The type of the value.
    ///   - isWrapped: Whether a value that is an object is sent as the member `value`. Set it for an input whose type is
    ///     not an object, but whose values may be objects, for example any JSON. Otherwise its members are the params.
    /// - Returns: The field. It ends with the last reference to it.
    public nonisolated func field<Value: Codable & Equatable & Sendable>(
        _ instance: String,
        _ name: String,
        of type: Value.Type = Value.self,
        isWrapped: Bool = false
    ) -> RemoteField<Value> {
        let field = RemoteField<Value>(client: self, instance: instance, name: name)
        let token = field.token
        later { [weak field] client in
            if field == nil { return }
            let apply = { [weak field] (event: ClientField.Event) -> Void in field?.apply(event) }
            do throws(ClientError) {
                let binding = try client.binding(instance, [name])
                client.fields[token] = ClientField(
                    apply: apply,
                    instance: instance,
                    name: name,
                    isWrapped: isWrapped,
                    binding: binding
                )
                client.restoreFields(of: binding.token)
            } catch {
                apply { $0.end(error) }
            }
        }
        return field
    }

    /// Carries out what a field has to do.
    func advanceField(_ token: Int) {
        guard channel != nil, let field = fields[token] else { return }
        var action: FieldMachine<JSONValue>.Action?
        field.apply { action = $0.nextAction() }
        switch action {
        case nil: break
        case .send(let value): send(value, of: field, token)
        case .read:
            send(
                ViewModelRead.self,
                ViewModelRead.Params(id: field.instance, outputs: [field.name]),
                .fieldOutput(token)
            )
        }
    }

    /// Sends what was typed, so that the call that follows finds it.
    func sendTyped() {
        for (token, field) in fields {
            var typed: JSONValue?
            field.apply { typed = $0.valueBeforeCall() }
            if let typed { send(typed, of: field, token) }
        }
    }

    private func send(_ value: JSONValue, of field: ClientField, _ token: Int) {
        let value = field.isWrapped ? .object(["value": value]) : value
        guard let params = try? MemberParams.encode(value, meta: nil) else { return }
        send("\(field.instance).\(field.name)", params, .field(token))
    }

    /// Handles the reply to a field's input.
    func fieldAnswered(_ token: Int, _ result: [UInt8]) {
        guard let field = fields[token] else { return }
        let reply = try? Self.decode(InputReply.self, result, of: field.name)
        // Before the reply to `viewModel.bind` the picture lacks frames.
        let isHeld = reply?.held == true || bindings[field.binding.token]?.isUnsettled ?? true
        field.apply { $0.inputAnswered(isHeld: isHeld) }
        advanceField(token)
    }

    /// Handles the refusal of a field's input.
    ///
    /// A daemon that stops has not applied it; the value is sent again after the reconnection.
    func fieldRefused(_ token: Int, _ error: ProtocolError) {
        guard let field = fields[token] else { return }
        if error.code == .shuttingDown { return field.apply { $0.postponed() } }
        field.apply { $0.inputRefused(.refused(error)) }
        advanceField(token)
    }

    /// Handles the reply to a field's reading; nil if it was refused.
    func fieldOutput(_ token: Int, _ result: [UInt8]?) {
        guard let field = fields[token] else { return }
        let read = result.flatMap { try? Self.decode(ViewModelRead.Result.self, $0, of: ViewModelRead.name) }
        field.apply { $0.outputRead(read?.values[field.name]) }
        advanceField(token)
    }

    /// Gives the fields of a binding the output in its picture.
    func restoreFields(of binding: Int) {
        guard bindings[binding]?.isUnsettled == false, let picture = bindings[binding]?.picture else { return }
        for (token, field) in fields where field.binding.token == binding {
            guard let value = picture[field.name] else { continue }
            let isNewSession = field.epoch.map { $0 != picture.epoch } ?? false
            fields[token]?.epoch = picture.epoch
            field.apply { $0.restored(value, isNewSession: isNewSession) }
            advanceField(token)
        }
    }

    /// Ends the fields of a binding that has ended.
    func endFields(of binding: Int, _ error: ClientError?) {
        for (token, field) in fields where field.binding.token == binding {
            field.apply { $0.end(error ?? .bindingEnded(field.instance)) }
            fields[token] = nil
        }
    }

    func endFields(_ error: ClientError) {
        for field in fields.values { field.apply { $0.end(error) } }
        fields = [:]
    }
}
