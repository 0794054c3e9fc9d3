package import Accounts
package import ViewModelKit

/// The ViewModels that ship with the daemon.
package enum ReferenceViewModels {
    /// Registers the ViewModels and their scenes in a catalog.
    ///
    /// The schemas are not checked here, because tests check them.
    ///
    /// - Parameters:
    ///   - catalog: The catalog.
    ///   - lab: Whether `lab` and `labPage` are hosted, the ViewModels for people who test clients.
    ///   - accounts: The service that `login`, `mine` and `sendList` need; without it they cannot be opened.
    ///   - outbox: The second service that `sendList` needs.
    /// - Throws: `CatalogError` if a name is already taken.
    package static func register(
        in catalog: inout ViewModelCatalog,
        lab: Bool = false,
        accounts: AccountService? = nil,
        outbox: OutboxService? = nil
    ) throws {
        if let accounts { catalog.provide(accounts) }
        if let outbox { catalog.provide(outbox) }
        try catalog.host(Keypad.self) { context in
            Keypad(calculation: context.shared { Calculation(CalculatorBrain()) }, prompter: context.prompter)
        }
        try catalog.host(Calculator.self) { context in
            Calculator(calculation: context.shared { Calculation(CalculatorBrain()) }, prompter: context.prompter)
        }
        catalog.share { context in SessionAccount(service: try context.service(), uid: context.uid) }
        catalog.share { context in SessionOutbox(service: try context.service(), uid: context.uid) }
        try catalog.host(Login.self, Mine.self, SendList.self)
        if lab {
            try catalog.host(Lab.self, isRestored: false)
            try catalog.host(LabPage.self)
        }
        for scene in ["profile", "wallet", "support", "cooperation", "help", "feedback", "sent"] {
            catalog.scene(scene)
        }
        catalog.scene("login", instance: "login")
    }
}
