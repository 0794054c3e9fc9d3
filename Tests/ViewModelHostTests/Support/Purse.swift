import ViewModelKit

/// Keeps a value of the session and one of the user.
@ViewModel
final class Purse {
    @Output(.session) private(set) var coins = 0
    @Output(.user) private(set) var total = 0

    @Action(.concurrent)
    func earn(_ amount: Int) -> Int {
        coins += amount
        total += amount
        return coins
    }
}
