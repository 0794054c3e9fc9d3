// Shows whether this compiler loses the hop back to the caller's executor when an async call throws.
//
// docs/design.md, "A defect of Swift 6.3.1, and the flag against it". Exit code 0: every `catch` runs on its actor. 1: one
// does not.
import Dispatch
import Glibc

final class Loop: SerialExecutor {
    private let queue = DispatchQueue(label: "loop")
    private let mark = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: mark, value: true) }

    var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) ?? false }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

struct Refusal: Error {}

actor Backend {
    func signIn(_ isRight: Bool) throws -> Int {
        guard isRight else { throw Refusal() }
        return 1
    }

    func signInTyped(_ isRight: Bool) throws(Refusal) -> Int {
        guard isRight else { throw Refusal() }
        return 1
    }
}

let loop = Loop()
let backend = Backend()

@inline(never) func forward() async throws -> Int { try await backend.signIn(false) }
@inline(never) func forwardTyped() async throws(Refusal) -> Int { try await backend.signInTyped(false) }
@inline(never) func forwardCaught() async throws -> Int {
    do { return try await backend.signIn(false) } catch { throw error }
}

final class Form {
    func failures() async -> [String] {
        var failures: [String] = []
        do { _ = try await forward() } catch { if !loop.isCurrent { failures.append("an error that is forwarded") } }
        do { _ = try await forwardTyped() } catch { if !loop.isCurrent { failures.append("a typed error") } }
        do { _ = try await forwardCaught() } catch { if !loop.isCurrent { failures.append("an error that is caught first") } }
        return failures
    }
}

actor Session {
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    private let form = Form()
    func failures() async -> [String] { await form.failures() }
}

@main struct Main {
    static func main() async {
        let failures = await Session().failures()
        print(failures.isEmpty ? "no hop is lost" : "the hop is lost for " + failures.joined(separator: ", "))
        exit(failures.isEmpty ? 0 : 1)
    }
}
