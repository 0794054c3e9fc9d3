import Foundation

/// The folder with the downloaded episodes.
///
/// All sessions share it. An episode is called `7.part` until it is complete, then `7.mp3`.
public actor DownloadFolder {
    private let path: String

    /// Uses a folder, which is created when the first episode is written.
    public init(_ path: String) {
        self.path = path
    }

    /// Returns the number of bytes that an earlier, incomplete download of this episode has left.
    public func size(ofPart id: Int) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file(id, "part"))
        return attributes?[.size] as? Int ?? 0
    }

    /// Writes a part of an episode.
    ///
    /// - Parameters:
    ///   - part: the bytes.
    ///   - id: the episode.
    ///   - start: the position of the first byte.
    /// - Returns: the number of bytes that are there now.
    /// - Throws: `diskFault`.
    public func write(_ part: Part, of id: Int, at start: Int) throws(PodcastFailure) -> Int {
        let end = start + part.bytes.count
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            if start == 0 { try Data().write(to: URL(filePath: file(id, "part"))) }
            let handle = try FileHandle(forWritingTo: URL(filePath: file(id, "part")))
            defer { try? handle.close() }
            try handle.seek(toOffset: UInt64(start))
            try handle.write(contentsOf: part.bytes)
            if end == part.total {
                try? FileManager.default.removeItem(atPath: file(id, "mp3"))
                try FileManager.default.moveItem(atPath: file(id, "part"), toPath: file(id, "mp3"))
            }
        } catch {
            throw .diskFault(message: "Episode \(id) cannot be written: \(error.localizedDescription)")
        }
        return end
    }

    private func file(_ id: Int, _ ending: String) -> String { "\(path)/\(id).\(ending)" }
}
