import PodcastModel
import ViewModelKit

/// Downloads episodes, two at a time.
@ViewModel
public final class Downloads {
    /// The downloads that wait or run, with their progress.
    @Output var running: Rows<ExecutionRow<Int>> { $start.executions }
    /// The complete downloads.
    @Output(.session) var finished: Rows<Download> = []
    /// The downloads that failed, with the reason, until `start` tries again.
    @Output(.session) var failed: Rows<FailedDownload> = []

    private let server: any PodcastServer
    private let folder: DownloadFolder

    /// Downloads the episode with this id, from where an earlier download has ended.
    @Action(.concurrent(limit: 2), id: "id")
    func start(_ id: Int, _ execution: Execution) async throws(PodcastFailure) -> Download {
        failed[id: id] = nil
        do throws(PodcastFailure) {
            var size = await folder.size(ofPart: id), total = Int.max
            while size < total {
                let part = try await execution.retry(3, after: .seconds(1)) { () throws(PodcastFailure) in
                    try await server.part(of: id, from: size)
                }
                size = try await folder.write(part, of: id, at: size)
                total = part.total
                execution.progress = Double(size) / Double(total)
            }
            finished.upsert(Download(id: id, bytes: size))
            return Download(id: id, bytes: size)
        } catch {
            if !execution.isCancelled { failed.upsert(FailedDownload(id: id, reason: error.failure.error)) }
            throw error
        }
    }

    /// Cancels the download of the episode with this id.
    @Input func cancel(_ id: Int) { $start.cancel(id: id) }
}

/// A complete download.
@Schemable
struct Download: Identifiable {
    let id: Int
    let bytes: Int
}

/// A download that failed.
@Schemable
struct FailedDownload: Identifiable {
    let id: Int
    let reason: String
}
