import Foundation

/// A new directory that only its user can access, for the socket of a relay.
struct SocketDirectory {
    let path: String

    init() throws {
        var template = Array("\(FileManager.default.temporaryDirectory.path)/viewmodelctl-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw CommandFailure.usage("no directory for a socket can be created") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
