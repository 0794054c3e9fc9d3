/// The accounts that the daemon itself keeps, shared by all users of the store.
///
/// Isolation: used from anywhere.
package protocol LocalAccounts: Sendable {
    func account(named name: String) async throws(StoreError) -> LocalAccount?

    /// Adds an account.
    ///
    /// Returns false if an account has the name; of two concurrent calls with one name, one returns true.
    func add(_ account: LocalAccount) async throws(StoreError) -> Bool
}

/// An account that the daemon itself keeps.
package struct LocalAccount: Equatable, Sendable {
    /// The name that its owner signs in with.
    ///
    /// Names are compared byte by byte.
    package let account: String
    package var nickname: String?
    package var password: PasswordHash
    /// The balance as a decimal number.
    package var balance: String
    /// The number of coupons in decimal digits.
    package var coupons: String

    /// Creates an account.
    ///
    /// A new account has neither balance nor coupons.
    package init(
        account: String,
        nickname: String? = nil,
        password: PasswordHash,
        balance: String = "0",
        coupons: String = "0"
    ) {
        self.account = account
        self.nickname = nickname
        self.password = password
        self.balance = balance
        self.coupons = coupons
    }
}

/// A hashed password with the parameters of the hash.
///
/// The store does not interpret it, and its descriptions hide it.
package struct PasswordHash: Equatable, Sendable {
    /// The algorithm and its costs, in the format of the hasher.
    package let parameters: String
    package let salt: [UInt8]
    package let hash: [UInt8]

    package init(parameters: String, salt: [UInt8], hash: [UInt8]) {
        self.parameters = parameters
        self.salt = salt
        self.hash = hash
    }
}

extension PasswordHash: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<password hash>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
