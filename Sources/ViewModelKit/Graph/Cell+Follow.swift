internal import Logging

extension Cell where Value: Sendable {
    /// Writes each value of a service's sequence into the cell, each in its own step.
    ///
    /// Call it during wiring. It starts after the commit of the wiring step and ends with the ViewModel that was wired,
    /// or with the session for an object that ViewModels share. Calls outside of wiring have no effect. A sequence that
    /// fails or ends leaves the cell at its last value.
    ///
    /// - Parameter source: the values to write.
    public func follow<Source: AsyncSequence & Sendable>(_ source: Source) where Source.Element == Value {
        graph.follow(source) { self.value = $0 }
    }

    /// Writes a value into the cell for each value of a service's sequence, each in its own step.
    ///
    /// It starts and ends like ``follow(_:)``.
    ///
    /// - Parameters:
    ///   - source: the values of the service.
    ///   - value: returns the cell's value for a value of the service, or nil to leave the cell unchanged.
    public func follow<Source: AsyncSequence & Sendable>(
        _ source: Source,
        _ value: @escaping (Source.Element) -> Value?
    ) where Source.Element: Sendable {
        graph.follow(source) { element in
            if let value = value(element) { self.value = value }
        }
    }
}

extension ListCell {
    /// Replaces the rows for each value of a service's sequence, each in its own step.
    ///
    /// Several outputs, including those of several ViewModels, can show the list. Its edits are computed once. It starts and
    /// ends like ``Cell/follow(_:)``.
    ///
    /// - Parameters:
    ///   - source: the values of the service.
    ///   - rows: returns the rows for a value, or nil to leave the list unchanged.
    public func follow<Source: AsyncSequence & Sendable>(
        _ source: Source,
        _ rows: @escaping (Source.Element) -> [Row]?
    ) where Source.Element: Sendable {
        graph.follow(source) { value in
            if let rows = rows(value) { self.replaceAll(with: rows) }
        }
    }
}

extension PlacedMembers {
    /// Calls `body` with each value of a service's sequence, each in a step of its own, to write several properties.
    ///
    ///     init(server: any ChatServer) {
    ///         follow(server.events()) { $0.apply($1) }
    ///     }
    ///
    /// It starts and ends like ``Cell/follow(_:)``. Call it during wiring, when `self` is complete.
    ///
    /// - Parameters:
    ///   - source: the values of the service.
    ///   - body: receives the object, which it need not capture, and the value.
    public func follow<Source: AsyncSequence & Sendable>(
        _ source: Source,
        _ body: @escaping (Self, Source.Element) -> Void
    ) where Source.Element: Sendable {
        Graph.current.follow(source) { [unowned self] value in body(self, value) }
    }
}

extension Graph {
    /// Runs `body` for each value of a sequence in its own step, until the scope that is being wired ends.
    fileprivate func follow<Source: AsyncSequence & Sendable>(
        _ source: Source,
        _ body: @escaping (Source.Element) -> Void
    ) where Source.Element: Sendable {
        guard let taskScope else { return }
        afterCommit {
            taskScope.run(on: self) {
                do {
                    for try await value in source {
                        if Task.isCancelled { return }
                        body(value)
                    }
                } catch {
                    self.host.logger.warning("A followed service failed", metadata: ["error": "\(error)"])
                }
            }
        }
    }
}
