public import FoundationEssentials
public import ViewModelStore

/// A sign-in that goes on on another device (RFC 8628).
public struct DeviceGrant: Hashable, Sendable {
    /// What the person is shown.
    public let prompt: DevicePrompt
    /// What the provider is asked with.
    public let code: Secret
    /// How long to wait between two questions, at least.
    public let interval: Duration

    /// For how long the code is still good, at most a day; 0 when it has expired.
    public var remaining: Duration {
        .seconds(prompt.expiresAt.timeIntervalSinceNow.clamped(to: 0...Double.longestGrant))
    }

    /// Makes a grant.
    public init(prompt: DevicePrompt, code: Secret, interval: Duration = .seconds(5)) {
        self.prompt = prompt
        self.code = code
        self.interval = interval
    }
}

/// What the person is shown to sign in on another device.
public struct DevicePrompt: Codable, Hashable, Sendable {
    /// The code to type.
    public let userCode: String
    /// Where to type it.
    public let verificationUri: String
    /// The same address with the code in it, for a QR code.
    public let verificationUriComplete: String?
    /// Until when the code is good.
    public let expiresAt: Date

    /// Makes a prompt.
    public init(userCode: String, verificationUri: String, verificationUriComplete: String?, expiresAt: Date) {
        self.userCode = userCode
        self.verificationUri = verificationUri
        self.verificationUriComplete = verificationUriComplete
        self.expiresAt = expiresAt
    }
}

/// What a provider says to whether a grant was given.
public enum DeviceAnswer: Sendable {
    /// Not yet.
    case pending
    /// Not yet, and asked too often: the interval grows by 5 seconds for good.
    case slowDown
    /// The person has granted it.
    case granted(SignIn)
}
