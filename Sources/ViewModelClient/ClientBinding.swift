import ViewModelProtocol

/// The client's state of a binding: its params, its picture, and the updates that its reader has not read.
struct ClientBinding {
    typealias Reader = CheckedContinuation<BindingUpdate?, any Error>

    /// The phase of a binding.
    enum Phase {
        /// The reply to `viewModel.bind` is outstanding.
        ///
        /// Frames that arrive now belong to an older binding.
        case requested
        /// The picture exists, and frames change it.
        case live
        /// The binding has ended, with an error or, for nil, normally.
        case ended((any Error)?)
    }

    var params: ViewModelBind.Params
    var phase = Phase.requested
    var picture: Picture?
    var buffer: UpdateBuffer
    var reader: Reader?

    /// The params of the request that binds, or that resumes the binding from the step of its picture.
    var request: ViewModelBind.Params {
        var request = params
        request.since = picture?.since
        return request
    }

    /// Applies the reply to `viewModel.bind`.
    mutating func begin(_ result: ViewModelBind.Result) throws(JSONPatch.Failure) {
        if case .ended = phase { return }
        var next = picture ?? Picture(result)
        let change = try next.apply(result)
        picture = next
        phase = .live
        deliver(BindingUpdate(picture: next, change: change, isFull: result.full))
    }

    /// Applies a frame.
    mutating func follow(_ frame: ViewModelChanged.Params) throws(JSONPatch.Failure) {
        guard case .live = phase, var next = picture else { return }
        let change = try next.apply(frame)
        picture = next
        deliver(BindingUpdate(picture: next, change: change, isFull: false))
    }

    /// Ends the binding.
    ///
    /// Buffered updates remain readable.
    mutating func end(_ error: (any Error)?) {
        if case .ended = phase { return }
        phase = .ended(error)
        guard let reader = reader.take() else { return }
        if let error { reader.resume(throwing: error) } else { reader.resume(returning: nil) }
    }

    private mutating func deliver(_ update: BindingUpdate) {
        if let reader = reader.take() {
            reader.resume(returning: update)
        } else {
            buffer.append(update)
        }
    }
}
