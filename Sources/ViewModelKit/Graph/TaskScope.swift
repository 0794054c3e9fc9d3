/// What ends with a ViewModel: the tasks that follow services for it.
///
/// Isolation: confined to its session.
package final class TaskScope {
    private var tasks: [Int: Task<Void, Never>] = [:]
    /// The operations that have not ended; one may end before its task is known.
    private var running: Set<Int> = []
    private var next = 0
    private var isOver = false

    package init() {}

    /// Runs `operation` on the session until it returns or the taskScope ends.
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

    /// Cancels what still runs.
    package func end() {
        isOver = true
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }
}

extension Cell where Value: Sendable {
    /// Writes what a service tells into the cell, each value in a step of its own, while the ViewModel lives.
    ///
    /// Begins once the ViewModel is wired. A sequence that fails or ends leaves the cell at its last value.
    public func follow<Source: AsyncSequence & Sendable>(_ source: Source) where Source.Element == Value {
        let graph = graph
        guard let taskScope = graph.taskScope else { return }
        graph.afterCommit {
            taskScope.run(on: graph) {
                do {
                    for try await value in source {
                        if Task.isCancelled { return }
                        self.value = value
                    }
                } catch {
                    graph.host.unfollowed(because: error)
                }
            }
        }
    }
}
