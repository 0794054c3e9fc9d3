/// A problem in a source of the configuration.
package struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
    package struct Location: Equatable, Sendable, CustomStringConvertible {
        /// The file, the environment variable or the flag.
        package var source: String
        package var line: Int?

        package init(source: String, line: Int? = nil) {
            self.source = source
            self.line = line
        }

        package var description: String {
            line.map { "\(source):\($0)" } ?? source
        }
    }

    package var location: Location
    /// The error and the expected value.
    package var message: String

    package init(location: Location, message: String) {
        self.location = location
        self.message = message
    }

    package var description: String { "\(location): \(message)" }
}

/// The problems that make a configuration invalid.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    package var description: String {
        problems.map(\.description).joined(separator: "\n")
    }
}

/// The reason why a value of the configuration is invalid.
package struct ValueProblem: Error {
    /// The index of the item in a list.
    var item: Int?
    /// The member of the item.
    var member: String?
    /// Completes "expected …".
    var expected: String
    /// Completes "found …"; nil for the value as the source spells it.
    var found: String?
}
