/// A group of members in a ViewModel: a nested struct and the stored property of that type.
enum MemberGroup: CaseIterable {
    case inputs, outputs, actions, children

    /// The name of the stored property.
    var propertyName: String { "\(self)" }

    /// The name of the nested struct.
    var typeName: String { propertyName.prefix(1).uppercased() + propertyName.dropFirst() }

    /// The name of the static function that creates an entry of the contract.
    var entry: String {
        switch self {
        case .inputs: "input"
        case .outputs: "output"
        case .actions: "action"
        case .children: "child"
        }
    }

    /// The allowed types of a member, or nil if every type is allowed.
    var memberTypes: [String]? {
        switch self {
        case .inputs: ["Input"]
        case .outputs: ["Output", "ListOutput", "Event"]
        case .actions: ["Action"]
        case .children: nil
        }
    }

    /// The group with which this one shares a namespace, and the reason.
    var rival: (group: MemberGroup, reason: String) {
        switch self {
        case .inputs: (.actions, "both are called as methods")
        case .actions: (.inputs, "both are called as methods")
        case .outputs: (.children, "both are parts of what clients see")
        case .children: (.outputs, "both are parts of what clients see")
        }
    }

    /// The allowed types in words, for diagnostics.
    var memberTypesInWords: String {
        switch self {
        case .inputs: "an `Input`"
        case .outputs: "an `Output`, a `ListOutput` or an `Event`"
        case .actions: "an `Action`"
        case .children: "a ViewModel"
        }
    }
}
