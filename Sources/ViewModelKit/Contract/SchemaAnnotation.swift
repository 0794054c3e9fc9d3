extension Schema {
    /// What the contract says about a schema's values beside their form.
    public struct Annotation: Sendable, Equatable {
        /// The name and the description of a case of an enum.
        package struct Case: Sendable, Equatable {
            /// The name in the source, or an empty string if it is the value itself.
            package let name: String
            package let description: String
        }

        /// The doc comment of the type.
        package var description = ""
        /// One for each case of an enumeration, or none.
        package var cases: [Case] = []
        /// The bounds that the host enforces for values from clients.
        package var bounds: Bounds?
    }

    /// Returns this schema with a description for clients.
    ///
    /// `@Schemable` writes the call for a doc comment.
    public func described(_ text: String) -> Schema {
        annotating { $0.description = text }
    }

    /// Returns this schema with bounds, which the host enforces for values from clients.
    ///
    /// `@Schemable` writes the call for a property with ``Bounds(_:matching:)``. Bounds of an optional are those of its
    /// value. Bounds that are there already are replaced.
    ///
    /// The contract shows them in params only, because the host does not check the values of outputs.
    public func bounded(_ bounds: Bounds) -> Schema {
        annotating { $0.bounds = bounds }
    }

    /// This schema without annotations around it.
    package var plain: Schema {
        if case .annotated(let schema, _) = self { schema.plain } else { self }
    }

    private func annotating(_ change: (inout Annotation) -> Void) -> Schema {
        guard case .annotated(let schema, var annotation) = self else {
            var annotation = Annotation()
            change(&annotation)
            return .annotated(self, annotation)
        }
        change(&annotation)
        return .annotated(schema, annotation)
    }

    /// Returns this enumeration of cases with the notes about them.
    func noting<Case: RawRepresentable>(
        _ cases: some Sequence<Case>,
        _ notes: [(Case, name: String, description: String)]
    ) -> Schema where Case.RawValue: Equatable {
        guard !notes.isEmpty else { return self }
        return annotating { annotation in
            annotation.cases = cases.map { value in
                let note = notes.first { $0.0.rawValue == value.rawValue }
                return Annotation.Case(name: note?.name ?? "", description: note?.description ?? "")
            }
        }
    }
}
