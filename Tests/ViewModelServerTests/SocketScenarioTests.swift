import Foundation
import Testing
import ViewModelServer

@testable import Scenarios

/// The tables of scenarios, on a socket.
@Suite(.timeLimit(.minutes(5))) struct SocketScenarioTests {
    @Test(arguments: Scenario.all.filter(\.worksOnSockets))
    func `clients receive what the scenario says`(_ scenario: Scenario) async throws {
        let setup = try ScenarioSetup(scenario)
        try await withServer(setup.catalog(), configuration: setup.configuration) { socket in
            try await onThread { try ScenarioRun(scenario, setup, in: SocketWorld(socket)).run() }
        }
    }
}

/// Runs what blocks its thread on a thread of its own, so that it takes none from the server's tasks.
func onThread(_ body: @escaping @Sendable () throws -> Void) async throws {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
