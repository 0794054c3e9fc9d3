import AccountsFeature
import MockFeature
import RecordFeature
import SharedStoreFeature
import ViewModelDaemon

/// The features of `viewmodeld`: all of this package, and the ViewModel `lab`.
let features: [DaemonFeature] = [.accounts, .sharedStore, .mock, .record, .lab]
