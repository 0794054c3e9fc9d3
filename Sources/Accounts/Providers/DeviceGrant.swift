public import FoundationEssentials
public import ViewModelKit
import ViewModelStorage

/// A pending sign-in on another device (RFC 8628).
package struct DeviceGrant: Hashable, Sendable {
    /// The prompt for the person.
    package let prompt: DevicePrompt
    /// The device code with which the provider is polled.
    package let code: Password
    /// The minimum time between two polls.
    package let interval: Duration

    /// The remaining lifetime of the code, at most one day; 0 after its expiry.
    package var remaining: Duration {
        .seconds(prompt.expiresAt.timeIntervalSinceNow.clamped(to: 0...Double.longestGrant))
    }

    package init(prompt: DevicePrompt, code: Password, interval: Duration = .seconds(5)) {
        self.prompt = prompt
        self.code = code
        self.interval = interval
    }
}

/// The instructions for a sign-in on another device.
@Schemable
public struct DevicePrompt: Hashable, Sendable {
    /// The code that the person types.
    public let userCode: String
    /// The address of the page where the person types the code.
    public let verificationUri: String
    /// The same address including the code, for a QR code.
    public let verificationUriComplete: String?
    /// The expiry of the code.
    public let expiresAt: Date

    package init(userCode: String, verificationUri: String, verificationUriComplete: String?, expiresAt: Date) {
        self.userCode = userCode
        self.verificationUri = verificationUri
        self.verificationUriComplete = verificationUriComplete
        self.expiresAt = expiresAt
    }
}

/// The provider's answer to a poll for a device grant.
package enum DeviceGrantStatus: Sendable {
    /// The person has not decided yet.
    case pending
    /// The person has not decided yet, and the polls are too frequent.
    ///
    /// The interval of all later polls is 5 seconds longer (RFC 8628, section 3.5).
    case slowDown
    /// The person has granted the sign-in.
    case granted(SignIn)
}
