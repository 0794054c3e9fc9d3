import ViewModelHost

/// The error of a store that cannot be reached.
struct StoreUnavailable: StoreFailure, CustomStringConvertible {
    let description: String
    let isUnavailable = true

    init(_ description: String) {
        self.description = description
    }
}
