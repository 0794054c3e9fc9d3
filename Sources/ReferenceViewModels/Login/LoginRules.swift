import ViewModelKit

/// What an account's name and a password must be like.
enum LoginRules {
    private static let accountLengths = 3...64
    private static let passwordLength = 8
    /// The bytes that a name or a password may have: a character may consist of any number of them.
    private static let longestText = 1024

    static func problem(ofAccount account: String) -> String? {
        accountLengths.contains(account.count) ? nil : "The account needs 3 to 64 characters"
    }

    static func problem(ofPassword password: Password) -> String? {
        password.revealed.count >= passwordLength ? nil : "The password needs at least 8 characters"
    }

    /// Refuses a text that is too long to be kept; the refusal does not repeat it.
    static func checkLength(of text: String, path: String = "") throws {
        guard text.utf8.count <= longestText else {
            throw InvalidValue(
                path: path,
                expected: "a text of at most \(longestText) bytes",
                found: "\(text.utf8.count) bytes"
            )
        }
    }

    /// Refuses fields that are not valid; the refusal repeats no password.
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

/// What `login.register` takes.
struct Registration: Codable {
    /// The account's name, 3 to 64 characters and at most 1,024 bytes.
    let account: String
    /// The password, at least 8 characters and at most 1,024 bytes; it is shown nowhere.
    let password: Password
    /// What the person wants to be called, at most 1,024 bytes.
    let nickname: String?
}
