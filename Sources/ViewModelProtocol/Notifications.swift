/// A frame: the changes of one step, or the sum of several, in a bound instance (protocol, section 7).
///
/// A client applies a frame in this order. It tells its view the `splices`. Each member of `values` replaces the member of
/// that name in the picture.
/// Then `patch` is applied to the picture. Then the client handles `events`.
package enum ViewModelChanged: DescribedNotification {
    package static let name = "viewModel.changed"

    package struct Params: Codable, Equatable, Sendable {
        package var id: String
        /// The tag of the binding.
        package var tag: String?
        /// The step of the picture after this frame.
        package var seq: Int
        /// Where rows of lists came and went, in whole lists, by the names of the outputs.
        package var splices: [String: [ListSplice]]?
        /// The new values, by the names of their outputs.
        package var values: JSONObject?
        /// The changes of lists, to be applied to the picture after `values`.
        package var patch: JSONPatch?
        /// The events, in order.
        package var events: [OutputEvent]?
        /// The number of earlier events that the daemon has dropped.
        package var lost: Int?

        package init(
            id: String,
            tag: String? = nil,
            seq: Int,
            splices: [String: [ListSplice]]? = nil,
            values: JSONObject? = nil,
            patch: JSONPatch? = nil,
            events: [OutputEvent]? = nil,
            lost: Int? = nil
        ) {
            self.id = id
            self.tag = tag
            self.seq = seq
            self.splices = splices
            self.values = values
            self.patch = patch
            self.events = events
            self.lost = lost
        }

        /// The instance and the tag.
        package var key: BindingKey { BindingKey(instance: id, tag: tag) }
    }

    package static var summary: String {
        "A frame: the changes of one or several steps in a bound instance. Apply splices, values, patch, then events."
    }
    package static var paramsSchema: WireSchema {
        .object(
            ["id": .string, "seq": .count],
            optional: [
                "tag": .string, "splices": .dictionary(.array(ListSplice.schema)), "values": .dictionary(.any),
                "patch": .array(.any), "events": .array(OutputEvent.schema), "lost": .count,
            ]
        )
    }
}

/// The notification that a bound instance was closed and its binding has ended (protocol, section 5).
package enum ViewModelClosed: DescribedNotification {
    package static let name = "viewModel.closed"

    package typealias Params = InstanceParams

    package static var summary: String {
        "A bound instance was closed."
    }
    package static var paramsSchema: WireSchema { InstanceParams.schema }
}

/// The notification that the session of an attached connection has ended (protocol, section 4).
///
/// From then on the connection has no session, and the daemon refuses its calls with ``ErrorCode/sessionEnded`` until it
/// attaches again. After `stopping` the daemon closes it.
package enum SessionClosed: DescribedNotification {
    package static let name = "session.closed"

    /// The reason why a session ended.
    package enum Reason: String, CaseIterable, Codable, Sendable {
        /// A client closed the session.
        case closed
        /// The daemon stops.
        case stopping
        /// A fault in a ViewModel's code ended the session.
        ///
        /// `incident` names its entry in the log.
        case failed
        /// The session lives on another machine now, which shares the store.
        ///
        /// `node` names the machine, if it is known.
        case moved
    }

    package typealias Params = SessionEnd

    package static var summary: String {
        "The session has ended: a client closed it, the daemon stops, a ViewModel failed, or it moved to another machine."
    }
    package static var paramsSchema: WireSchema {
        .object(
            ["session": .optional(.string), "reason": .enumeration(Reason.self)],
            optional: ["incident": .string, "node": .string]
        )
    }
}

/// An event: the name of an output of kind `event`, and its value (protocol, section 7).
public struct OutputEvent: Codable, Equatable, Sendable {
    /// The output's name.
    public var output: String
    /// The event's value.
    public var value: JSONValue

    /// Creates an event.
    public init(output: String, value: JSONValue) {
        self.output = output
        self.value = value
    }

    static var schema: WireSchema {
        .object(["output": .string, "value": .any])
    }
}
