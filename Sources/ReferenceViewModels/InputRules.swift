import Accounts
import ViewModelKit

/// The rules for the name of an account and for a password.
enum LoginRules {
    private static let accountLengths = 3...64
    private static let passwordLength = 8
    /// The maximum size of a name or a password in bytes, because one character may have any number of bytes.
    private static let longestText = 1024

    static func problem(ofAccount account: String) -> String? {
        accountLengths.contains(account.count) ? nil : "The account needs 3 to 64 characters"
    }

    static func problem(ofPassword password: Password) -> String? {
        password.revealed.count >= passwordLength ? nil : "The password needs at least 8 characters"
    }

    /// Throws `InvalidValue` if a text is too long; the error does not contain the text.
    static func checkLength(of text: String, path: String = "") throws {
        try text.checkLength(atMost: longestText, path: path)
    }

    /// Throws `InvalidValue` if a field is invalid; the error does not contain the password.
    static func check(_ registration: Registration) throws {
        try checkLength(of: registration.account, path: "/account")
        try checkLength(of: registration.password.revealed, path: "/password")
        if let nickname = registration.nickname { try checkLength(of: nickname, path: "/nickname") }
        if problem(ofAccount: registration.account) != nil {
            throw InvalidValue(
                path: "/account",
                expected: "3 to 64 characters",
                found: "\(registration.account.count) characters"
            )
        }
        if problem(ofPassword: registration.password) != nil {
            throw InvalidValue(
                path: "/password",
                expected: "at least 8 characters",
                found: "\(registration.password.revealed.count)"
            )
        }
    }
}

/// The parameter of `login.register`.
@Schemable
struct Registration {
    /// The account's name, 3 to 64 characters and at most 1,024 bytes.
    let account: String
    /// The password, at least 8 characters and at most 1,024 bytes; no output shows it.
    let password: Password
    /// The name by which the person is addressed, at most 1,024 bytes.
    let nickname: String?
}
