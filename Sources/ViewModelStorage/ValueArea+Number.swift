package import ViewModelHost

extension ValueArea {
    /// The number of the area in the stores' columns: the user, or -1 for the daemon.
    package var number: Int64 {
        switch self {
        case .user(let uid): Int64(uid)
        case .daemon: -1
        }
    }

    /// Creates the area with a number of the stores' columns.
    package init?(number: Int64) {
        if number == -1 {
            self = .daemon
        } else {
            guard let uid = UInt32(exactly: number) else { return nil }
            self = .user(uid)
        }
    }
}
