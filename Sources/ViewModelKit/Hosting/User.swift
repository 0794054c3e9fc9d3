import Glibc
import JSONRPC

/// The user to whom a session belongs: a person who has signed in at a gateway, or a Unix user.
///
/// A ViewModel gets it by a parameter of its initialiser. A derived value that reads it is recomputed when it changes:
///
///     @Output var greeting: String { "Hello, \(user.name)" }
///     @Output var mayApprove: Bool { user.claim("groups", as: [String].self)?.contains("approvers") ?? false }
///     private let user: User
///
/// Several clients of a person may be attached to one session. The name and the claims are those that came with the
/// client that has attached last.
///
/// Isolation: confined to its session.
public final class User {
    /// What a gateway knows about a person.
    public struct Identity: Equatable, Sendable {
        /// The name to show; empty if there is none.
        public let name: String
        /// The issuer and its name for the person, as `issuer|subject`.
        public let subject: String
        /// What the issuer says about the person: an object.
        public let claims: JSON

        /// Creates the identity of a person.
        public init(name: String, subject: String, claims: JSON = .emptyObject) {
            (self.name, self.subject, self.claims) = (name, subject, claims)
        }
    }

    private let identity: Cell<Identity?>
    private let uid: UInt32
    /// The name of the Unix user, which is looked up once.
    private lazy var accountName = Self.accountName(of: uid)

    package init(_ identity: Identity?, uid: UInt32) {
        self.identity = Cell(identity)
        self.uid = uid
    }

    /// The name to show: that of the person, or of the Unix user's account, or the number of a user without a name.
    public var name: String {
        guard let person = identity.value else { return accountName ?? "\(uid)" }
        return person.name.isEmpty ? "\(uid)" : person.name
    }

    /// The issuer and its name for the person, as `issuer|subject`; nil for a Unix user.
    ///
    /// It is also nil for a person as long as only administrators are attached to the person's restored session.
    public var subject: String? { identity.value?.subject }

    /// Returns what the issuer says about the person.
    ///
    /// - Parameters:
    ///   - name: the name of the claim, such as `groups`.
    ///   - type: the type to read it as.
    /// - Returns: the claim; nil if there is none, or if it is of another type.
    public func claim<Claim: Decodable>(_ name: String, as type: Claim.Type = Claim.self) -> Claim? {
        guard let claims = identity.value?.claims, claims.isObject else { return nil }
        var (text, claim) = (claims.text, Claim?.none)
        text.withUTF8 { bytes in
            JSONText.forEachMember(of: Bytes(bytes)) { member, value in
                guard member == name else { return }
                claim = try? JSONValueDecoder.decode(type, from: Bytes(bytes).part(value), isLenient: true)
            }
        }
        return claim
    }

    /// Takes over the identity of a client that attaches.
    package func adopt(_ identity: Identity) {
        self.identity.value = identity
    }

    private static func accountName(of uid: UInt32) -> String? {
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
        return String(cString: entry.pw_name)
    }
}
