import ViewModelKit
import ViewModelTesting

/// Downloads, at most two at a time.
@ViewModel
final class Downloads {
    @Output var downloads: Rows<ExecutionRow<Int>> { $start.executions }

    private let service: Effect<Int, Int>
    private var executions: [Int: Execution] = [:]

    init(service: Effect<Int, Int>) { self.service = service }

    @Action(.concurrent(limit: 2), id: "id")
    func start(_ id: Int, _ execution: Execution) async throws(DownloadFailure) -> Int {
        executions[id] = execution
        execution.progress = 0
        do {
            return try await service(id)
        } catch {
            throw .busy
        }
    }

    @Action(.queued, id: "episode")
    func rename(episode: String, to: String) async throws {
        _ = try await service(0)
    }

    @Input func tell(id: Int, progress: Double) { executions[id]?.progress = progress }

    @Input func stop(_ id: Int) throws {
        guard $start.cancel(id: id) else { throw InvalidValue(expected: "the id of a download", found: "\(id)") }
    }

    @Input func stopAll() { $start.cancel() }
}

/// Why a download failed.
@Failure
enum DownloadFailure {
    /// The server is busy.
    @Retryable case busy
    /// The episode is gone.
    case gone
}
