/// The head of a WebSocket frame, read byte by byte (RFC 6455, section 5.2).
///
/// It checks all rules that hold for a frame of a client on its own: the mask, reserved bits, opcodes, and the lengths.
struct FrameHead: Equatable, Sendable {
    enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        /// Whether the frame is a message of the WebSocket protocol itself.
        var isControl: Bool { rawValue >= 8 }
    }

    /// The longest payload of a control frame.
    static let longestControl = 125

    /// Whether the frame is the last one of its message.
    private(set) var isFinal = false
    private(set) var opcode = Opcode.continuation
    /// The length of the payload in bytes.
    private(set) var length: UInt64 = 0
    /// The key with which the payload is masked.
    ///
    /// Its first byte is the lowest one.
    private(set) var mask: UInt32 = 0

    private var step = Step.first

    private enum Step: Equatable {
        case first
        case second
        case length(missing: Int, least: UInt64)
        case mask(Int)
        case complete
    }

    /// Whether no byte was consumed.
    var isEmpty: Bool { step == .first }

    /// The state of the head after a byte.
    enum Outcome {
        case unfinished
        case complete
        /// The byte breaks a rule.
        case invalid
    }

    /// Consumes the next byte of the head.
    mutating func consume(_ byte: UInt8) -> Outcome {
        switch step {
        case .first:
            // No extension is negotiated, so the three reserved bits are zero.
            guard byte & 0x70 == 0, let opcode = Opcode(rawValue: byte & 0x0F) else { return .invalid }
            self.opcode = opcode
            isFinal = byte & 0x80 != 0
            guard isFinal || !opcode.isControl else { return .invalid }
            step = .second
        case .second:
            // A client masks every frame.
            guard byte & 0x80 != 0 else { return .invalid }
            length = UInt64(byte & 0x7F)
            guard length <= Self.longestControl || !opcode.isControl else { return .invalid }
            switch length {
            case 126: step = .length(missing: 2, least: 126)
            case 127: step = .length(missing: 8, least: 65_536)
            default: step = .mask(0)
            }
            if length > Self.longestControl { length = 0 }
        case .length(let missing, let least):
            length = length << 8 | UInt64(byte)
            guard missing == 1 else {
                step = .length(missing: missing - 1, least: least)
                break
            }
            // A length has its shortest form, and its highest bit is zero.
            guard length >= least, length <= UInt64(Int64.max) else { return .invalid }
            step = .mask(0)
        case .mask(let index):
            mask |= UInt32(byte) << (8 * UInt32(index))
            step = index == 3 ? .complete : .mask(index + 1)
        case .complete:
            return .invalid
        }
        return step == .complete ? .complete : .unfinished
    }
}
