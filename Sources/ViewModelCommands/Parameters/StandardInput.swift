import Glibc

/// The standard input, read on threads of their own, so that a task that waits for it can be cancelled.
package enum StandardInput {
    /// Reads the standard input to its end; a failed read counts as the end.
    package static func bytes() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            let chunk = try await chunk()
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
    }

    /// Reads the next bytes, and returns no bytes at the end.
    private static func chunk() async throws -> [UInt8] {
        try await BlockingThread.run {
            [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, read(STDIN_FILENO, buffer.baseAddress, buffer.count))
            }
        }
    }

    /// A reader of the lines, without their line feeds.
    actor Lines {
        private var rest: [UInt8] = []
        private var hasEnded = false

        /// Returns the next line, or nil at the end.
        func next() async throws -> [UInt8]? {
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = Array(rest[..<end])
                    rest.removeSubrange(...end)
                    return line
                }
                if hasEnded {
                    defer { rest = [] }
                    return rest.isEmpty ? nil : rest
                }
                let chunk = try await StandardInput.chunk()
                rest += chunk
                hasEnded = chunk.isEmpty
            }
        }
    }
}
