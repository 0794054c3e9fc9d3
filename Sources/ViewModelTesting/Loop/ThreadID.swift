#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The identity of a thread.
struct ThreadID: Equatable, Sendable {
    private let bits: UInt

    /// The caller's thread.
    static var current: ThreadID {
        #if canImport(Darwin)
            ThreadID(bits: UInt(bitPattern: pthread_self()))
        #else
            ThreadID(bits: UInt(pthread_self()))
        #endif
    }
}
