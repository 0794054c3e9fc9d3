package import JSONRPC

/// The bounds of a value: a range, and a pattern for a string.
///
/// The range is that of an integer or a number. For a string it is that of the number of characters (Unicode scalars),
/// for an array that of the number of elements. A pattern is a regular expression of ECMAScript with the flag `u`, without
/// back-references, look-arounds and flags, and with at most 2,000 states. A text that is not such a pattern matches any
/// string.
public struct Bounds: Sendable, Equatable {
    /// The lower bound, a number, or nil.
    package let minimum: JSONValue?
    /// The upper bound, a number, or nil.
    package let maximum: JSONValue?
    /// A regular expression that occurs in the string, or nil.
    let pattern: String?

    /// Creates bounds from a range and perhaps a pattern.
    ///
    /// - Parameters:
    ///   - range: the range, such as `3...64`, `1...` or `...0.5`.
    ///   - pattern: a regular expression that occurs in a string; `^` and `$` make it apply to the whole string.
    public init<Range: RangeExpression>(_ range: Range, matching pattern: String? = nil) where Range.Bound: BoundValue {
        (minimum, maximum) = Self.limits(of: range)
        self.pattern = pattern
    }

    /// Creates bounds from a regular expression that occurs in a string.
    public init(matching pattern: String) {
        (minimum, maximum) = (nil, nil)
        self.pattern = pattern
    }

    private static func limits(of range: some RangeExpression) -> (JSONValue?, JSONValue?) {
        switch range {
        case let range as ClosedRange<Int>: (.integer(range.lowerBound), .integer(range.upperBound))
        case let range as Range<Int>: (.integer(range.lowerBound), .integer(range.upperBound - 1))
        case let range as PartialRangeFrom<Int>: (.integer(range.lowerBound), nil)
        case let range as PartialRangeThrough<Int>: (nil, .integer(range.upperBound))
        case let range as PartialRangeUpTo<Int>: (nil, .integer(range.upperBound - 1))
        case let range as ClosedRange<Double>: (number(range.lowerBound), number(range.upperBound))
        case let range as Range<Double>: (number(range.lowerBound), number(range.upperBound.nextDown))
        case let range as PartialRangeFrom<Double>: (number(range.lowerBound), nil)
        case let range as PartialRangeThrough<Double>: (nil, number(range.upperBound))
        case let range as PartialRangeUpTo<Double>: (nil, number(range.upperBound.nextDown))
        default: (nil, nil)
        }
    }

    private static func number(_ value: Double) -> JSONValue {
        var writer = JSONWriter()
        writer.double(value)
        return .number(String(decoding: writer.bytes, as: UTF8.self))
    }
}

/// A type of bounds: `Int` or `Double`.
public protocol BoundValue: Comparable {}

extension Int: BoundValue {}
extension Double: BoundValue {}

/// Declares the bounds of a value that clients send.
///
/// The contract shows them, and the host refuses a value outside of them with -32602 before the ViewModel sees it. Write
/// the attribute on a property of a struct with `@Schemable`, on a `@Field`, or on an `@Input` or `@Action` whose only
/// parameter is the value itself.
///
///     @Schemable
///     struct Order {
///         @Bounds(1...99) var count: Int
///         @Bounds(1...40, matching: "^[A-Z]") var name: String
///     }
///
/// The host does not check the values that the ViewModel itself writes.
///
/// A pattern is searched in code points, and each is read once. A string that is too long for the range, or for a search
/// in 2^24 steps of one state and one character, is refused without the search.
///
/// - Parameters:
///   - range: the range of a number, of the number of characters of a string, or of the number of elements of an array.
///   - pattern: a regular expression that occurs in a string.
@attached(peer)
public macro Bounds<Range: RangeExpression>(_ range: Range, matching pattern: StaticString? = nil) =
    #externalMacro(module: "ViewModelMacros", type: "MarkerMacro") where Range.Bound: BoundValue

/// Declares a regular expression that occurs in a string that clients send.
@attached(peer)
public macro Bounds(matching pattern: StaticString) = #externalMacro(module: "ViewModelMacros", type: "MarkerMacro")

/// Declares the bounds of a parameter of an `@Input` or `@Action`, one attribute for each parameter.
///
///     /// Sleeps.
///     @Bounds("milliseconds", 0...)
///     @Action func sleep(milliseconds: Int) async throws { … }
///
/// - Parameters:
///   - parameter: the name of the parameter.
///   - range: the range of a number, of the number of characters of a string, or of the number of elements of an array.
///   - pattern: a regular expression that occurs in a string.
@attached(peer)
public macro Bounds<Range: RangeExpression>(
    _ parameter: StaticString,
    _ range: Range,
    matching pattern: StaticString? = nil
) = #externalMacro(module: "ViewModelMacros", type: "MarkerMacro") where Range.Bound: BoundValue
