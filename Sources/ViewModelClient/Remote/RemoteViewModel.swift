public import ViewModelProtocol

/// An instance of a ViewModel, with typed members.
///
/// `viewmodelctl generate swift` writes a type that conforms to it for each ViewModel type of a daemon. The instance is
/// that of the client's session; making the value sends nothing.
///
/// ```swift
/// let calculator = Calculator(client)
/// try await calculator.press(.plus)
/// for try await update in calculator.bind() { print(update.picture.led) }
/// ```
public protocol RemoteViewModel: Sendable {
    /// The values of the outputs.
    associatedtype Picture: RemotePicture
    /// The events.
    associatedtype Event: RemoteEvent = OutputEvent
    /// The windows of the lists.
    associatedtype Windows: RemoteWindows = NoWindows

    /// The name of the type on the wire.
    static var typeName: String { get }

    /// The client whose session has the instance.
    var client: ViewModelClient { get }
    /// The instance's id.
    var id: String { get }

    /// Creates a reference to the instance with an id.
    init(_ client: ViewModelClient, id: String)
}

extension RemoteViewModel {
    /// Binds the instance, with all outputs.
    ///
    /// ``ViewModelClient/bind(_:outputs:windows:minInterval:)`` describes the life of a binding.
    ///
    /// - Parameters:
    ///   - windows: The windows of lists. A list without a window has all rows.
    ///   - minInterval: The least time between two updates.
    /// - Returns: The binding, a sequence of updates.
    public func bind(_ windows: Windows = Windows(), minInterval: Duration? = nil) -> RemoteBinding<Self> {
        RemoteBinding(
            client.bind(id, windows: windows.byOutputIfAny, minInterval: minInterval.map(\.wholeMilliseconds))
        )
    }

    /// Reads the current values once.
    ///
    /// - Parameter windows: The windows of lists.
    /// - Returns: The values.
    /// - Throws: ``ClientError``, `CancellationError`.
    public func read(_ windows: Windows = Windows()) async throws -> Picture {
        try Picture(try await client.read(id, windows: windows.byOutputIfAny))
    }

    /// Waits until the picture satisfies a condition, as ``ViewModelClient/wait(for:outputs:timeout:until:)`` does.
    @discardableResult
    public func wait(
        timeout: Duration? = nil,
        until condition: @escaping @Sendable (Picture) throws -> Bool
    ) async throws -> Picture {
        try Picture(try await client.wait(for: id, timeout: timeout) { try condition(Picture($0)) })
    }

    /// Closes the instance, and with it its actions, its children and its bindings.
    ///
    /// - Throws: ``ClientError``, `CancellationError`.
    public func close() async throws {
        try await client.closeInstance(id)
    }
}

/// The values of the outputs of an instance, typed.
public protocol RemotePicture: Equatable, Sendable {
    /// Reads the values of a picture.
    ///
    /// - Parameters:
    ///   - values: The picture.
    ///   - previous: The values before, whose unchanged ones are reused.
    /// - Throws: ``ClientError`` with ``ClientError/Code-swift.struct/unexpectedReply`` for a value of another type.
    init(reading values: PictureReader, after previous: Self?) throws
}

extension RemotePicture {
    /// Reads the values of a picture without those before.
    init(_ picture: ViewModelProtocol.Picture) throws { try self.init(reading: PictureReader(picture), after: nil) }
}

/// An event of an instance, typed.
public protocol RemoteEvent: Equatable, Sendable {
    /// Creates an event from its form on the wire.
    init(_ event: OutputEvent)
}

extension OutputEvent: RemoteEvent {
    /// Creates a copy: a ViewModel type without events has events of this type.
    public init(_ event: OutputEvent) {
        self = event
    }

    /// Returns the value as a type, or nil if it has another form.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) -> Value? {
        try? IncomingLine.decode(type, value.text)
    }
}

/// The windows of the lists of an instance, typed.
public protocol RemoteWindows: Equatable, Sendable {
    /// Creates windows: none.
    init()

    /// The windows by the names of their lists on the wire.
    var byOutput: [String: Window] { get }
}

extension RemoteWindows {
    var byOutputIfAny: [String: Window]? {
        let windows = byOutput
        return windows.isEmpty ? nil : windows
    }
}

/// The windows of a ViewModel type without lists.
public struct NoWindows: RemoteWindows {
    /// Creates no windows.
    public init() {}

    /// No windows.
    public var byOutput: [String: Window] { [:] }
}
