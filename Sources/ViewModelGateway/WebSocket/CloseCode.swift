/// The status code of a closing WebSocket connection (RFC 6455, section 7.4).
struct CloseCode: RawRepresentable, Error, Equatable {
    let rawValue: UInt16

    /// The gateway stops.
    static let goingAway = Self(rawValue: 1001)
    /// The peer broke a rule of RFC 6455.
    static let protocolError = Self(rawValue: 1002)
    /// The peer sent a binary message.
    ///
    /// The subprotocol has text messages only.
    static let unsupportedData = Self(rawValue: 1003)
    /// A text is not UTF-8.
    static let invalidText = Self(rawValue: 1007)
    /// A message is longer than the limit.
    static let messageTooBig = Self(rawValue: 1009)
    /// The daemon has gone or refuses the connection.
    ///
    /// The client may try again.
    static let tryAgainLater = Self(rawValue: 1013)

    /// Whether an endpoint may send the code in a frame (RFC 6455, section 7.4; the registry of IANA).
    var isValidInFrame: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
