import DumpFlag

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Core files, which would contain tokens and keys.
enum CoreDumps {
    /// Has none written, whatever ends the process (core(5)).
    ///
    /// The kernel ignores the limit where it pipes core dumps to a program. There the process is made undumpable. The files
    /// of `/proc/PID` then belong to root, and a debugger of the same user cannot attach.
    static func forbid() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        if arePiped { _ = dump_flag_clear() }
    }

    /// Whether the kernel gives core dumps to a program; true where that cannot be read.
    private static var arePiped: Bool {
        let descriptor = open("/proc/sys/kernel/core_pattern", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var first: UInt8 = 0
        return read(descriptor, &first, 1) != 1 || first == UInt8(ascii: "|")
    }
}
