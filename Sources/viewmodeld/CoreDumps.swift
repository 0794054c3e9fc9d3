#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Core files, which would contain tokens and keys.
enum CoreDumps {
    /// Sets `RLIMIT_CORE` to 0, so that the kernel writes no core file (core(5)).
    ///
    /// The kernel does not apply the limit to a `core_pattern` that is a pipe. systemd-coredump honors the limit
    /// itself.
    static func forbid() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }
}
