import ViewModelProtocol

/// A binding as the client keeps it: what was asked for, the picture so far, what its reader has not taken.
struct ClientBinding {
    typealias Reader = CheckedContinuation<BindingUpdate?, any Error>

    /// How a binding stands with the daemon.
    enum Phase {
        /// The reply to `viewModel.bind` is outstanding: frames that come now are those of an older binding.
        case requested
        /// The picture is there and follows the frames.
        case live
        /// No more updates; nil means a natural end.
        case ended((any Error)?)
    }

    var params: ViewModelBind.Params
    var phase = Phase.requested
    var picture: Picture?
    var buffer: UpdateBuffer
    var reader: Reader?

    /// The request that binds, or binds again where the picture stands.
    var request: ViewModelBind.Params {
        var request = params
        request.since = picture?.since
        return request
    }

    /// Takes the reply to `viewModel.bind`.
    mutating func begin(_ result: ViewModelBind.Result) throws(JSONPatch.Failure) {
        if case .ended = phase { return }
        var next = picture ?? Picture(result)
        let change = try next.apply(result)
        picture = next
        phase = .live
        deliver(BindingUpdate(picture: next, change: change, isFull: result.full))
    }

    /// Takes a frame.
    mutating func follow(_ frame: ViewModelChanged.Params) throws(JSONPatch.Failure) {
        guard case .live = phase, var next = picture else { return }
        let change = try next.apply(frame)
        picture = next
        deliver(BindingUpdate(picture: next, change: change, isFull: false))
    }

    /// Ends the binding; what is buffered can still be read.
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
