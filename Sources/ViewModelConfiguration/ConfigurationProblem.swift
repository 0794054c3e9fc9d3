/// Something that is wrong with a source of the configuration.
package struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
    /// Where something stands in the configuration.
    package struct Place: Equatable, Sendable, CustomStringConvertible {
        /// The file, the environment variable or the flag.
        package var source: String
        package var line: Int?

        package var description: String {
            line.map { "\(source):\($0)" } ?? source
        }
    }

    package var place: Place
    /// What is wrong and what is expected.
    package var message: String

    package var description: String { "\(place): \(message)" }
}

/// The configuration cannot be taken; says everything that is wrong with it.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package let problems: [ConfigurationProblem]

    /// A line for each problem.
    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}
