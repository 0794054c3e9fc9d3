import Glibc

/// The error of a file that cannot be written.
package struct OutputFileError: Error, Equatable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package var description: String { "\(path) cannot be written: \(reason)" }
}

/// A file that a program writes as a whole, at a path that a person has given.
///
/// Links are followed. A regular file is replaced by a new one, which gets its name when it is complete, and its mode and
/// owner. A device, a FIFO and an open descriptor (`/dev/stdout`, `/dev/fd/N`) are written to.
package struct OutputFile: Sendable {
    private enum Kind {
        case descriptor(Int32)
        /// A device or a FIFO.
        case stream
        /// A regular file, or none.
        case file(stat?)
    }

    /// The path as it was given.
    package let path: String
    /// The path after all links.
    private let target: String
    private let kind: Kind

    /// Whether what is written goes to a device, a FIFO or a descriptor, so that the path names no file.
    package var isStream: Bool {
        if case .file = kind { false } else { true }
    }

    /// Looks at a path.
    ///
    /// - Throws: ``OutputFileError`` for a directory, and for a path that cannot be looked up.
    package init(_ path: String) throws(OutputFileError) {
        func failure(_ code: Int32) -> OutputFileError {
            OutputFileError(path: path, reason: SystemError(code: code).description)
        }
        self.path = path
        guard !path.isEmpty else { throw failure(ENOENT) }
        var target = path
        // The kernel follows no link that another user has put into a directory such as /tmp (proc(5), protected_symlinks).
        if stat(of: target) == nil, errno == EACCES { throw failure(EACCES) }
        for _ in 0..<40 {
            if let number = Self.ownDescriptor(target) {
                (self.target, kind) = (target, .descriptor(number))
                return
            }
            guard let link = Paths.target(ofLink: target) else {
                self.target = target
                if let status = stat(of: target) {
                    switch status.kind {
                    case S_IFDIR: throw OutputFileError(path: path, reason: "It is a directory. Name a file")
                    case S_IFREG: kind = .file(status)
                    default: kind = .stream
                    }
                } else {
                    guard errno == ENOENT else { throw failure(errno) }
                    kind = .file(nil)
                }
                return
            }
            target = link.utf8.first == slash ? link : "\(Paths.split(target).directory)/\(link)"
        }
        throw failure(ELOOP)
    }

    /// Writes the content.
    ///
    /// The call blocks while a FIFO has no reader, or a slow one.
    ///
    /// - Throws: ``OutputFileError``. A regular file then has its former content, unless it could only be overwritten.
    package func write(_ bytes: [UInt8]) throws(OutputFileError) {
        do {
            switch kind {
            case .descriptor(let number): try Descriptor(number: number).write(bytes)
            case .stream: try overwrite(with: bytes, O_NOCTTY)
            case .file(let former): try replace(former, with: bytes)
            }
        } catch let error as OutputError {
            throw OutputFileError(path: path, reason: "\(error.cause)")
        } catch {
            throw OutputFileError(path: path, reason: "\(error)")
        }
    }

    /// Opens the file, to write it piece by piece; the caller closes the descriptor.
    ///
    /// A regular file must not exist, and gets the mode 0600. The call blocks while a FIFO has no reader.
    package func create() throws(SystemError) -> Int32 {
        let descriptor =
            switch kind {
            case .descriptor(let number): fcntl(number, F_DUPFD_CLOEXEC, 3)
            case .stream: open(target.cPath, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            case .file: open(target.cPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            }
        guard descriptor >= 0 else { throw .last }
        return descriptor
    }

    package func remove() {
        if !isStream { unlink(target.cPath) }
    }

    private func replace(_ former: stat?, with bytes: [UInt8]) throws {
        let name = ".viewmodel-\(String(UInt64.random(in: .min ... .max), radix: 16)).draft"
        let draft = "\(Paths.split(target).directory)/\(name)".cPath
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, former == nil ? 0o666 : 0o600)
        guard descriptor >= 0 else {
            // The user may write to the file and not to its directory.
            guard former != nil, errno == EACCES || errno == EPERM else { throw SystemError.last }
            return try overwrite(with: bytes, O_TRUNC)
        }
        var isOwned = true
        if let former {
            isOwned = fchown(descriptor, former.st_uid, former.st_gid) == 0 && fchmod(descriptor, former.st_mode) == 0
        }
        do {
            // A file of another user stays that user's, so it is overwritten.
            try Self.fill(descriptor, with: isOwned ? bytes : [], sync: isOwned)
            guard isOwned else { throw SystemError(code: EBUSY) }
            guard rename(draft, target.cPath) == 0 else { throw SystemError.last }
        } catch {
            unlink(draft)
            // A file that is a mount of its own cannot be renamed.
            guard former != nil, (error as? SystemError)?.code == EBUSY else { throw error }
            try overwrite(with: bytes, O_TRUNC)
        }
    }

    private func overwrite(with bytes: [UInt8], _ flags: Int32) throws {
        let descriptor = open(target.cPath, O_WRONLY | O_CLOEXEC | flags)
        guard descriptor >= 0 else { throw SystemError.last }
        try Self.fill(descriptor, with: bytes, sync: flags & O_TRUNC != 0)
    }

    private static func fill(_ descriptor: Int32, with bytes: [UInt8], sync: Bool) throws {
        do {
            try Descriptor(number: descriptor).write(bytes)
            guard !sync || fsync(descriptor) == 0 || errno == EINVAL else { throw SystemError.last }
        } catch {
            close(descriptor)
            throw error
        }
        guard close(descriptor) == 0 || errno == EINTR else { throw SystemError.last }
    }

    // MARK: Paths

    /// Returns the number of the descriptor of this process that a path such as `/proc/self/fd/1` names.
    ///
    /// Opening such a path would open a file anew, with another position, and fails for a socket.
    private static func ownDescriptor(_ path: String) -> Int32? {
        let (directory, name) = Paths.split(path)
        guard let number = Int32(name), number >= 0, let found = Paths.resolved(directory) else { return nil }
        return found == "/proc/\(getpid())/fd" || found == "/dev/fd" ? number : nil
    }
}

private let slash = UInt8(ascii: "/")
