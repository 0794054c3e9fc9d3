package import ViewModelKit

package enum ReferenceViewModels {
    /// Registers the ViewModels and their scenes in a catalog; with `lab` those for people who test clients.
    ///
    /// The ViewModels `login`, `mine` and `sendList` need the daemon's accounts, and `sendList` its outbox.
    ///
    /// The schemas are not checked here, because tests check them.
    package static func register(in catalog: inout ViewModelCatalog, lab: Bool = false) throws {
        try catalog.host(Keypad.self) { context in
            Keypad(calculation: context.shared { Calculation(CalculatorBrain()) }, prompter: context.prompter)
        }
        try catalog.host(Calculator.self) { context in
            Calculator(calculation: context.shared { Calculation(CalculatorBrain()) }, prompter: context.prompter)
        }
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
