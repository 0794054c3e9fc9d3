/// The part of the configuration that a feature brings, with its defaults.
package protocol ConfigurationSection: Equatable, Sendable {
    init()
}

/// The parts of the configuration that features bring, by their types.
///
/// A part that is missing has its defaults.
struct ConfigurationSections: Equatable, Sendable {
    private var values: [ObjectIdentifier: any ConfigurationSection] = [:]

    subscript<Section: ConfigurationSection>(_: Section.Type) -> Section {
        get { values[ObjectIdentifier(Section.self)] as? Section ?? Section() }
        set { values[ObjectIdentifier(Section.self)] = newValue }
    }

    static func == (one: Self, other: Self) -> Bool {
        one.values.values.allSatisfy { other.has($0) } && other.values.values.allSatisfy { one.has($0) }
    }

    private func has<Section: ConfigurationSection>(_ section: Section) -> Bool {
        self[Section.self] == section
    }
}
