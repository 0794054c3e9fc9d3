import ArgumentParser
import ViewModelConfiguration

/// The flags of a daemon that has none of its own.
package struct NoOptions: ParsableArguments, Sendable {
    package init() {}
}

/// The flags of the features, one after the other.
///
/// ArgumentParser knows flags by the types of properties, so a list of features is a type: `FeatureFlags<A, FeatureFlags<B,
/// NoOptions>>`.
protocol FlagList: ParsableArguments, Sendable {
    func find<Flags>(_ type: Flags.Type) -> Flags?
}

extension NoOptions: FlagList {
    func find<Flags>(_ type: Flags.Type) -> Flags? { self as? Flags }
}

/// The flags of a feature, and those of the features after it.
struct FeatureFlags<First: ParsableArguments & Sendable, Rest: FlagList>: FlagList {
    @OptionGroup var first: First
    @OptionGroup var rest: Rest

    func find<Flags>(_ type: Flags.Type) -> Flags? { first as? Flags ?? rest.find(type) }
}

extension FlagList {
    /// Returns the type of other flags and these.
    fileprivate static func preceded<First: ParsableArguments & Sendable>(by: First.Type) -> any FlagList.Type {
        First.self == NoOptions.self ? Self.self : FeatureFlags<First, Self>.self
    }
}

extension Feature {
    fileprivate func flags(before rest: any FlagList.Type) -> any FlagList.Type { rest.preceded(by: Flags.self) }

    private func flags(in list: some FlagList) -> Flags {
        guard let flags = list.find(Flags.self) else { preconditionFailure("the list has the flags of each feature") }
        return flags
    }

    func overrides(in list: some FlagList) -> [KeyFlag] {
        overrides(flags(in: list))
    }

    func prepare(_ parts: inout DaemonParts, from list: some FlagList) throws {
        try prepare(&parts, flags(in: list))
    }
}

extension [any Feature] {
    var flags: any FlagList.Type {
        reversed().reduce(NoOptions.self as any FlagList.Type) { rest, feature in feature.flags(before: rest) }
    }
}
