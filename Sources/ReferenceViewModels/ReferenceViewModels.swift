public import ViewModelKit

/// The ViewModels that ship with the daemon.
public enum ReferenceViewModels {
    /// Hosts them in a catalog.
    ///
    /// - Parameter lab: whether the target for people who write clients is hosted, too.
    /// - Throws: `CatalogError` when a name is taken already.
    public static func register(in catalog: inout ViewModelCatalog, lab: Bool = false) throws {
        try catalog.host(Keypad.self) { context in
            Keypad(calculation: context.shared { Calculation(CalculatorBrain()) }, prompter: context.prompter)
        }
        try catalog.host(Calculator.self) { context in
            Calculator(calculation: context.shared { Calculation(CalculatorBrain()) }, prompter: context.prompter)
        }
        if lab {
            try catalog.host(Lab.self, isRestored: false) { context in
                Lab(coordinator: context.coordinator, prompter: context.prompter, clock: context.clock)
            }
        }
        for scene in ["profile", "wallet", "support", "cooperation", "help", "feedback", "sent"] {
            catalog.scene(scene)
        }
        catalog.scene("login", instance: "login")
    }
}
