#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Images of the process's memory, in which tokens and keys are.
enum CoreDumps {
    /// Has none written, whatever ends the process (core(5)).
    static func forbid() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }
}
