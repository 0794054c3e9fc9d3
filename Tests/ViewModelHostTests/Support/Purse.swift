import ViewModelKit

/// Keeps a value of the session and one of the user.
@ViewModel
final class Purse {
    /// The coins of this session.
    @Output(.session) private(set) var coins = 0
    /// The coins of all sessions of the user.
    @Output(.user) private(set) var total = 0

    /// Adds coins and returns how many are in this session.
    @Action(.concurrent)
    func earn(_ amount: Int) -> Int {
        coins += amount
        total += amount
        return coins
    }
}
