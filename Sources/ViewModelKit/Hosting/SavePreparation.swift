/// Work before a save: it writes values that follow from the clock into restorable cells.
///
/// ``SessionClock/willSave(while:_:)`` creates it. Releasing it ends it. Isolation: confined to its session.
public final class SavePreparation: AnyOutput {
    private let condition: Signal<Bool>
    private let body: () -> Void
    private var timer: SessionTimer?

    init(while condition: Signal<Bool>, _ body: @escaping () -> Void) {
        self.condition = condition
        self.body = body
        super.init(graph: condition.graph)
        condition.subscribe(self)
        graph.add(self)
        update()
    }

    deinit {
        condition.unsubscribe(self)
    }

    /// Starts or stops the timer after a change of the condition.
    ///
    /// - Returns: false, because the work itself has no value.
    override func commitChange() -> Bool {
        _ = super.commitChange()
        update()
        return false
    }

    /// Runs the work, as a part of the running step.
    func run() {
        if condition.untracked { body() }
    }

    private func update() {
        if !condition.untracked {
            timer = nil
        } else if timer == nil {
            saveLater()
        }
    }

    private func saveLater() {
        guard let interval = graph.host.saveInterval else { return }
        timer = graph.schedule(after: interval) { [weak self] in
            guard let self else { return }
            saveLater()
            graph.host.save()
        }
    }
}
