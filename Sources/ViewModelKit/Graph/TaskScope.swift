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
    private var retained: [AnyObject] = []
    private var next = 0
    private var isOver = false

    package init() {}

    /// Runs `operation` on the session until it returns or the scope ends, at once up to its first suspension.
    ///
    /// Does nothing after ``end()``. Returns the number of the operation for ``cancel(_:)``.
    @discardableResult
    func run(on graph: Graph, _ operation: @escaping () async -> Void) -> Int {
        guard !isOver else { return 0 }
        next += 1
        let number = next
        running.insert(number)
        let task = graph.host.spawn {
            await operation()
            self.running.remove(number)
            self.tasks[number] = nil
        }
        if running.contains(number) { tasks[number] = task }
        return number
    }

    /// Retains an object until the scope ends.
    func retain(_ object: AnyObject) {
        if !isOver { retained.append(object) }
    }

    /// Cancels an operation that still runs.
    func cancel(_ number: Int) {
        tasks.removeValue(forKey: number)?.cancel()
    }

    /// Cancels the tasks that still run, and prevents new ones.
    package func end() {
        isOver = true
        for task in tasks.values { task.cancel() }
        tasks = [:]
        retained = []
    }
}
