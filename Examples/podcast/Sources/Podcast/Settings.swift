import ViewModelKit

/// The settings of a person, the same in all sessions.
@ViewModel
public final class Settings {
    /// The name of this player, as clients show it.
    @Field(.user) var name = "My player"
    /// The seconds to skip, as typed.
    @Field(.user) var skip = "30"
    /// What is wrong with `skip`, null for nothing.
    @Output var skipProblem: String? { (5...300).contains(Int(skip) ?? 0) ? nil : "A number from 5 to 300" }

    /// Sets everything to what it was at first.
    @Action func reset() {
        name = "My player"
        skip = "30"
    }
}
