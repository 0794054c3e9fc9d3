import ViewModelKit

/// What an account's name and a password must be like.
enum LoginRules {
    private static let accountLengths = 3...64
    private static let passwordLength = 8
    /// The bytes that a name may have: a character may consist of any number of them.
    private static let nameBytes = 1024

    static func problem(ofAccount account: String) -> String? {
        guard account.utf8.count <= nameBytes else { return "The account needs at most \(nameBytes) bytes" }
        return accountLengths.contains(account.count) ? nil : "The account needs 3 to 64 characters"
    }

    static func problem(ofPassword password: Password) -> String? {
        password.revealed.count >= passwordLength ? nil : "The password needs at least 8 characters"
    }

    /// Refuses fields that are not valid; the refusal repeats no password.
    static func check(_ registration: Registration) throws {
        if problem(ofAccount: registration.account) != nil {
            throw InvalidValue(
                path: "/account",
                expected: "3 to 64 characters, at most \(nameBytes) bytes",
                found: "\(registration.account.count) characters, \(registration.account.utf8.count) bytes"
            )
        }
        if let nickname = registration.nickname, nickname.utf8.count > nameBytes {
            throw InvalidValue(
                path: "/nickname",
                expected: "at most \(nameBytes) bytes",
                found: "\(nickname.utf8.count) bytes"
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
    /// The password, at least 8 characters; it is shown nowhere.
    let password: Password
    /// What the person wants to be called, at most 1,024 bytes.
    let nickname: String?
}
