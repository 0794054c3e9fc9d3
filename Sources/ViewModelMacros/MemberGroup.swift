/// One of the groups that a ViewModel may have: a nested struct and the stored property that holds it.
enum MemberGroup: CaseIterable {
    case inputs, outputs, actions, children

    /// The name of the stored property.
    var propertyName: String { "\(self)" }

    /// The name of the nested struct.
    var typeName: String { propertyName.prefix(1).uppercased() + propertyName.dropFirst() }

    /// The function that makes an entry of the contract.
    var entry: String {
        switch self {
        case .inputs: "input"
        case .outputs: "output"
        case .actions: "action"
        case .children: "child"
        }
    }

    /// The types a member may have; nil when any will do.
    var memberTypes: [String]? {
        switch self {
        case .inputs: ["Input"]
        case .outputs: ["Output", "ListOutput", "Event"]
        case .actions: ["Action"]
        case .children: nil
        }
    }

    /// The group whose members' names must differ from this one's, and what both share.
    var rival: (group: MemberGroup, reason: String) {
        switch self {
        case .inputs: (.actions, "both are called as methods")
        case .actions: (.inputs, "both are called as methods")
        case .outputs: (.children, "both are parts of what clients see")
        case .children: (.outputs, "both are parts of what clients see")
        }
    }

    /// The members' types in words.
    var memberTypesInWords: String {
        switch self {
        case .inputs: "an `Input`"
        case .outputs: "an `Output`, a `ListOutput` or an `Event`"
        case .actions: "an `Action`"
        case .children: "a ViewModel"
        }
    }
}
