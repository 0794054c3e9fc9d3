import CUnixIO
import Glibc

/// Core files, which would contain tokens, keys and passwords.
package enum CoreDumps {
    /// Sets `RLIMIT_CORE` to 0, so that the kernel writes no core file (core(5)).
    ///
    /// The kernel ignores the limit if `core_pattern` pipes core dumps to a program. In that case the process is made
    /// undumpable. The files of `/proc/PID` then belong to root, and a debugger of the same user cannot attach.
    package static func forbid() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        if arePiped { _ = dump_flag_clear() }
    }

    /// Whether the kernel pipes core dumps to a program; true if that is unknown.
    private static var arePiped: Bool {
        let descriptor = open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var first: UInt8 = 0
        return read(descriptor, &first, 1) != 1 || first == UInt8(ascii: "|")
    }
}
