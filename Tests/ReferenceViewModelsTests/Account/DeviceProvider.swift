import Accounts
import Foundation
import ViewModelKit
import ViewModelStore
import ViewModelTesting

/// Accounts that are signed in to on another device; the test says what the provider answers, and when.
final class DeviceProvider: AccountProvider {
    let begin = Effect<Void, DeviceGrant>()
    let question = Effect<DeviceGrant, DeviceGrantStatus>()

    /// What a provider gives that wants to be asked every five seconds; good for so many seconds, and up to one more.
    static func grant(lifetime: Double) -> DeviceGrant {
        DeviceGrant(
            prompt: DevicePrompt(
                userCode: "ABCD",
                verificationUri: "https://id.example/device",
                verificationUriComplete: nil,
                expiresAt: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.up) + lifetime)
            ),
            code: Password("device-1"),
            interval: .seconds(5)
        )
    }

    /// What it answers when the person has granted it.
    static let granted = DeviceGrantStatus.granted(
        SignIn(
            token: VaultToken(access: Password("token"), account: "ada"),
            page: AccountPage(account: "ada", nickname: "Ada")
        )
    )

    var name: String { "device" }
    var features: AccountFeatures { AccountFeatures(device: true) }

    func signIn(_ account: String, password: Password, for uid: UInt32) async throws -> SignIn {
        throw AccountError(.unsupported, "Signing in by a password is not offered here")
    }

    func page(_ token: VaultToken, etag: String?) async throws -> PageResult {
        .page(AccountPage(account: token.account), etag: nil)
    }

    func deliver(_ text: String, key: String, with token: VaultToken) async throws {}

    func beginDevice() async throws -> DeviceGrant { try await begin() }

    func poll(_ grant: DeviceGrant) async throws -> DeviceGrantStatus { try await question(grant) }
}
