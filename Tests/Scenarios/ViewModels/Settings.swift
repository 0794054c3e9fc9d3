import ViewModelKit

/// The settings of a player.
@ViewModel
final class Settings {
    @Field(.user) var skip = "30"
    @Field(.daemon) var motto = ""
    @Field(.session) var note = ""
    @Output var seconds: Int { Int(skip) ?? 0 }
    @Rows var visited: [VisitedPage] { history.pages.value }
    @State(.user) private var padding = ""

    private let history: History

    init(history: History) { self.history = history }

    @Input func visit(_ page: String) { history.pages.append(VisitedPage(id: page)) }

    @Input func fill(_ length: Int) { padding = String(repeating: "x", count: length) }

    /// Sets a value that nothing else sets.
    @Action func reset() { skip = "31" }
}

/// Settings with a value of the same name.
@ViewModel
final class OtherSettings {
    @Field(.user) var skip = "10"
}

/// The pages that a user has visited, which the ViewModels of a session share.
final class History {
    let pages = ListCell<VisitedPage>(restoring: "pages", in: .user)
}

@Schemable
struct VisitedPage: Identifiable {
    let id: String
}
