import ArgumentParser
import ViewModelConfiguration
import ViewModelDaemon
import ViewModelKit

extension DaemonFeature {
    /// The ViewModel `lab`, which the key `lab` and `--lab` host.
    static var lab: DaemonFeature { DaemonFeature(LabFeature()) }
}

/// The ViewModel `lab` of this daemon.
struct LabFeature: Feature {
    var keys: FeatureKeys { FeatureKeys(LabSettings.keys) }

    func overrides(_ flags: LabFlags) -> [KeyFlag] {
        flags.lab ? [("lab", "--lab", "true")] : []
    }
}

/// The flag of the ViewModel `lab`.
struct LabFlags: ParsableArguments, Sendable {
    @Flag(help: "Host the ViewModel lab, for people who test clients.")
    var lab = false
}

/// The key `lab`.
@Schemable
struct LabSettings: ConfigurationSection {
    static let section = ""
    static let isLive = false

    /// Whether to host the ViewModel "lab", which has a member of every kind to test clients with.
    ///
    /// Not for production.
    var lab = false
}
