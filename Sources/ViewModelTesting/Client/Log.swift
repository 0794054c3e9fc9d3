/// What a client was sent, and what it made of it.
///
/// Isolation: confined to the client's loop.
final class Log {
    private(set) var messages: [ReceivedMessage] = []
    private var taken = 0
    private(set) var faults: [HarnessError] = []
    var pictures: [String: Picture] = [:]
    var listeners: [(Frame) -> Void] = []
    /// The ids of requests to bind that are not answered yet.
    var binds: Set<JSONValue> = []
    private var untold: [Frame] = []
    private var isTelling = false

    func append(_ text: [UInt8]) {
        do {
            let message = try ReceivedMessage(text)
            messages.append(message)
            switch message {
            case .frame(let frame): try apply(frame)
            case .result(let id, let value) where binds.remove(id) != nil: try keep(value.decoded())
            default: break
            }
        } catch {
            faults.append(error)
        }
    }

    /// What came since the last time.
    func takeNew() -> [ReceivedMessage] {
        defer { taken = messages.count }
        return Array(messages[taken...])
    }

    /// Takes over the reply to a binding, before any frame of it comes.
    private func keep(_ result: ViewModelBind.Result) throws(HarnessError) {
        guard var picture = pictures[result.id] else {
            pictures[result.id] = Picture(result)
            return
        }
        do {
            try picture.apply(result)
        } catch {
            throw HarnessError("the reply to a binding does not fit the picture: \(error)")
        }
        pictures[result.id] = picture
    }

    private func apply(_ frame: Frame) throws(HarnessError) {
        if var picture = pictures[frame.instance] {
            do {
                try picture.apply(frame.params)
            } catch {
                throw HarnessError("a frame does not fit its picture: \(error)")
            }
            pictures[frame.instance] = picture
        }
        deliver(frame)
    }

    private func deliver(_ frame: Frame) {
        untold.append(frame)
        guard !isTelling else { return }
        isTelling = true
        while !untold.isEmpty {
            let next = untold.removeFirst()
            for listener in listeners { listener(next) }
        }
        isTelling = false
    }
}
