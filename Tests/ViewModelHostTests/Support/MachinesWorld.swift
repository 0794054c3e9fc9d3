import ViewModelHost
import ViewModelTesting

@testable import Scenarios

/// The place of a scenario of two machines, `a` and `b`.
final class MachinesWorld: ScenarioWorld {
    let machines: Machines

    var isSettled: Bool { true }

    init() throws {
        machines = try Machines("a", "b")
    }

    func connect(_ name: String, uid: UInt32, scope: AccessScope) throws -> any ScenarioConnection {
        let machine = machines[String(name.prefix(1))]
        let identity = ClientIdentity(uid: uid, pid: 1, scope: scope)
        return MemoryConnection(machine.host, machine.loop, identity) { [weak machines] in machines?.runUntilIdle() }
    }

    func advance(by duration: Duration) {
        for machine in machines.all { machine.loop.advance(by: duration) }
        machines.runUntilIdle()
    }

    func perform(_ step: Scenario.Step) throws -> Bool {
        switch step.words.first {
        case "cluster": try performInCluster(step)
        case "machine": try performOnMachine(step)
        default: return false
        }
        machines.runUntilIdle()
        return true
    }

    private func performInCluster(_ step: Scenario.Step) throws {
        let cluster = machines.cluster
        let words = step.words.dropFirst()
        let node = words.last ?? ""
        switch words.dropLast().joined(separator: " ") {
        case "holds saves of": cluster.holdSaves(of: node)
        case "releases saves of": cluster.letSavesGo(of: node)
        case "releases one save of": cluster.letOneSaveGo(of: node)
        case "fails saves of": cluster.failSaves(of: node)
        case "holds values of": cluster.holdValues(of: node)
        case "releases values of": cluster.letValuesGo(of: node)
        case "cuts off": cluster.cutOff(node)
        case "reconnects": cluster.reconnect(node)
        case "expires": cluster.expireLease(of: node)
        case "loses events of": cluster.loseEvents(of: node)
        case "repeats": cluster.repeatRequests()
        case "times": cluster.timeOut()
        default:
            guard words.first == "has" else { throw ScenarioFailure(step, "no such step of the cluster") }
            let names = words.dropFirst().filter { $0 != "nothing" }
            let found = cluster.owners.keys.map(\.name).sorted()
            if found != names.sorted() { throw ScenarioFailure(step, "it has \(found)") }
        }
    }

    private func performOnMachine(_ step: Scenario.Step) throws {
        guard step.words.count > 2 else { throw ScenarioFailure(step, "which machine?") }
        let machine = machines[step.words[1]]
        switch step.words[2] {
        case "has":
            let hasSession = machine.hasSession()
            guard hasSession == (step.words.last == "desk") else { throw ScenarioFailure(step, "desk: \(hasSession)") }
        case "waits": machine.loop.advance(by: try ScenarioRun.duration(step))
        case "stops": machine.loop.run { machine.host.beginStopping() }
        default: throw ScenarioFailure(step, "no such step of a machine")
        }
    }
}
