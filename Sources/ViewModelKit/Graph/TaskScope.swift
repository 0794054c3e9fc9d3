/// The tasks of a ViewModel that follow services.
///
/// They end with the ViewModel.
///
/// Isolation: confined to its session.
package final class TaskScope {
    private var tasks: Set<Task<Void, Never>> = []
    private var retained: [AnyObject] = []
    private(set) var isOver = false

    package init() {}

    /// Runs `operation` on the session until it returns or the scope ends, at once up to its first suspension.
    ///
    /// Does nothing and returns nil after ``end()``.
    @discardableResult
    func run(on graph: Graph, _ operation: @escaping () async -> Void) -> Task<Void, Never>? {
        guard !isOver else { return nil }
        var task: Task<Void, Never>?
        // The operation may end before `spawn` returns its task.
        var hasEnded = false
        task = graph.session?.spawn {
            await operation()
            hasEnded = true
            if let task {
                self.tasks.remove(task)
                Activity.end(of: task)
            }
        }
        if !hasEnded, let task {
            tasks.insert(task)
            Activity.current?.begin(in: task)
        }
        return task
    }

    /// Retains an object until the scope ends.
    func retain(_ object: AnyObject) {
        if !isOver { retained.append(object) }
    }

    /// Cancels the tasks that still run, and prevents new ones.
    package func end() {
        isOver = true
        for task in tasks { task.cancel() }
        tasks = []
        retained = []
    }
}
