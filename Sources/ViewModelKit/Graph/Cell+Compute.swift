internal import CUnixIO

extension Cell where Value: Sendable {
    /// Computes the value off the session, again after each change of a property, and writes the newest result.
    ///
    /// A long computation then delays no client. The work gets the value of the property and nothing else. It runs on
    /// the pool of threads, one at a time. A change during the work cancels its task, discards its result and starts the
    /// work again. Until the first result, and after work that throws, the cell keeps its value; an error other than
    /// `CancellationError` is an incident in the log.
    ///
    ///     init() {
    ///         $matches.compute(from: self, \.query) { query in query.matches }
    ///     }
    ///
    /// The work also runs while no client has bound an output that shows the value, because the ViewModel's own code may
    /// read it. If the work is expensive, let the property return an empty value while
    /// ``BindingObserver/bindingsChanged(to:)`` has reported no clients.
    ///
    /// Call it during wiring. The first work starts after the commit of the wiring step. It ends with the ViewModel that
    /// was wired, or with the session for an object that ViewModels share. Calls outside of wiring have no effect.
    ///
    /// - Parameters:
    ///   - owner: the object with the property. It is not retained.
    ///   - source: the property. It is tracked by what it reads, as a computed output is.
    ///   - work: returns the new value.
    public func compute<Owner: AnyObject, Source: Equatable & Sendable>(
        from owner: Owner,
        _ source: KeyPath<Owner, Source>,
        _ work: @escaping @Sendable (Source) throws -> Value
    ) {
        graph.compute(from: Derived(of: owner, source), work) { self.value = $0 }
    }
}

extension ListCell where Row: Sendable {
    /// Computes the rows off the session, again after each change of a property, and writes the newest result.
    ///
    /// It works like ``Cell/compute(from:_:_:)``. Clients get the difference of the rows.
    ///
    /// - Parameters:
    ///   - owner: the object with the property. It is not retained.
    ///   - source: the property. It is tracked by what it reads, as a computed output is.
    ///   - work: returns the new rows, with unique ids.
    public func compute<Owner: AnyObject, Source: Equatable & Sendable>(
        from owner: Owner,
        _ source: KeyPath<Owner, Source>,
        _ work: @escaping @Sendable (Source) throws -> [Row]
    ) {
        graph.compute(from: Derived(of: owner, source), work) { self.replaceAll(with: $0) }
    }
}

extension Graph {
    fileprivate func compute<Source: Sendable, Result: Sendable>(
        from source: Derived<Source>,
        _ work: @escaping @Sendable (Source) throws -> Result,
        _ write: @escaping (Result) -> Void
    ) {
        guard let taskScope else { return }
        taskScope.retain(Computation(of: source, in: taskScope, work, write))
    }
}

/// Work off the session for the newest value of a source.
///
/// Isolation: confined to its session.
private final class Computation<Source: Sendable, Result: Sendable> {
    private let source: Derived<Source>
    private unowned let scope: TaskScope
    private let work: @Sendable (Source) throws -> Result
    private let write: (Result) -> Void
    /// The member that has begun the computation, usually `init`.
    private let activity = Activity.current
    private var observer: SourceObserver?
    /// The running operation, or nil.
    private var running: Task<Void, Never>?
    /// Whether the source has changed since the running operation began.
    private var isOutdated = false

    init(
        of source: Derived<Source>,
        in scope: TaskScope,
        _ work: @escaping @Sendable (Source) throws -> Result,
        _ write: @escaping (Result) -> Void
    ) {
        self.source = source
        self.scope = scope
        self.work = work
        self.write = write
        source.graph.afterCommit { [weak self] in self?.start() }
    }

    private func start() {
        observer = SourceObserver(of: source) { [weak self, unowned graph = source.graph] in
            // After the commit, because a commit only reads.
            graph.afterCommit { self?.sourceChanged() }
        }
        begin()
    }

    private func sourceChanged() {
        guard let running else { return begin() }
        isOutdated = true
        running.cancel()
    }

    private func begin() {
        isOutdated = false
        let (value, work) = (source.untracked, work)
        // No capture list, because with one Swift 6.3 runs the closure outside of the session.
        running = source.graph.running(activity) {
            scope.run(on: source.graph) { self.end(with: await outcome(of: work, value)) }
        }
    }

    private func end(with outcome: Swift.Result<Result, any Error>) {
        running = nil
        if isOutdated { return begin() }
        switch outcome {
        case .success(let result): if !Task.isCancelled { write(result) }
        case .failure(is CancellationError): break
        case .failure(let error): _ = source.graph.host.incident(error, in: "a computation")
        }
    }
}

/// Runs work on the pool of threads.
@concurrent
private func outcome<Source: Sendable, Result: Sendable>(
    of work: @Sendable (Source) throws -> Result,
    _ value: Source
) async -> Swift.Result<Result, any Error> {
    thread_activity_prepare()
    return Swift.Result { try work(value) }
}
