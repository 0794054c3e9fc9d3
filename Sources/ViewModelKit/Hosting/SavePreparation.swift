/// Work before a save: it writes values that follow from the clock into restorable cells.
///
/// ``SessionClock/willSave(while:_:)`` creates it. Releasing it ends it. Isolation: confined to its session.
public final class SavePreparation {
    private let condition: Signal<Bool>
    private let body: () -> Void
    private var observer: SourceObserver?
    private var timer: SessionTimer?
    private var graph: Graph { condition.graph }

    init(while condition: Signal<Bool>, _ body: @escaping () -> Void) {
        self.condition = condition
        self.body = body
        observer = SourceObserver(of: condition) { [weak self] in self?.update() }
        graph.add(self)
        update()
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
