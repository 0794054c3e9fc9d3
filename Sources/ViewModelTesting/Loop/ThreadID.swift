#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Tells threads apart.
struct ThreadID: Equatable, Sendable {
    private let bits: UInt

    /// The thread of the caller.
    static var current: ThreadID {
        #if canImport(Darwin)
            ThreadID(bits: UInt(bitPattern: pthread_self()))
        #else
            ThreadID(bits: UInt(pthread_self()))
        #endif
    }
}
