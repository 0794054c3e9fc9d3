import Accounts
import FoundationEssentials
import ViewModelKit

/// A row that shows an amount.
@Schemable
struct WalletRow: Identifiable {
    let id: String
    let title: String
    /// The name of a picture.
    let image: String
    /// The amount with its unit.
    let content: String

    static func rows(of page: AccountPage?) -> [WalletRow] {
        [
            WalletRow(id: "balance", title: "balance", image: "wdqb_ye", content: shown(page?.balance, "yuan")),
            WalletRow(
                id: "redPacket",
                title: "red envelopes",
                image: "redPacket",
                content: shown(page?.coupons, "pieces")
            ),
        ]
    }

    private static func shown(_ amount: String?, _ unit: String) -> String {
        amount.map { "\($0) \(unit)" } ?? ""
    }
}

/// A row that leads to the scene with the name of its id.
@Schemable
struct MenuRow: Identifiable {
    let id: String
    let title: String
    /// The name of a picture.
    let image: String

    static let services = [
        MenuRow(id: "wallet", title: "my wallet", image: "wodi_qb"),
        MenuRow(id: "support", title: "contact customer service", image: "wodi_dianhua"),
        MenuRow(id: "cooperation", title: "I want cooperation", image: "wodi_lishi-1"),
    ]
    static let others = [
        MenuRow(id: "help", title: "help", image: "xx_1"),
        MenuRow(id: "feedback", title: "I want feedback", image: "wyfk"),
    ]
}

/// The age of the page.
@Schemable
struct Freshness {
    /// When the backend last sent or confirmed the page.
    let fetchedAt: Date?
    /// Whether the page comes from the cache or the last request did not reach the backend.
    let stale: Bool
}
