/// The tasks of a ViewModel that follow services.
///
/// They end with the ViewModel.
///
/// Isolation: confined to its session.
package final class TaskScope {
    private var tasks: [Int: Task<Void, Never>] = [:]
    /// The numbers of the operations that have not ended.
    ///
    /// An operation may end before `spawn` returns its task.
    private var running: Set<Int> = []
    private var next = 0
    private var isOver = false

    package init() {}

    /// Runs `operation` on the session until it returns or the scope ends.
    ///
    /// Does nothing after ``end()``.
    func run(on graph: Graph, _ operation: @escaping () async -> Void) {
        guard !isOver else { return }
        next += 1
        let number = next
        running.insert(number)
        let task = graph.host.spawn {
            await operation()
            self.running.remove(number)
            self.tasks[number] = nil
        }
        if running.contains(number) { tasks[number] = task }
    }

    /// Cancels the tasks that still run, and prevents new ones.
    package func end() {
        isOver = true
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }
}
