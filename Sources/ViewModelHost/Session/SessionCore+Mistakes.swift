import Logging
import ViewModelKit

/// The log of an author's mistake, with the name of the member and its line in the source.
extension SessionCore {
    static let activityOfMistakes = "a ViewModel; its session ends"

    /// Logs a mistake after the running step, when an instance that the step makes has its members.
    func log(_ incident: Incident, _ mistake: AuthorMistake, of object: AnyObject?, computing derived: Node?) {
        graph.afterCommit {
            let text = mistake.description(
                of: object.map(self.nameForLog) ?? "a timer",
                computing: derived?.dependentOutput.flatMap(self.name)
            )
            self.host.log(incident, text, in: Self.activityOfMistakes, self.metadata)
        }
    }

    /// Returns the member that an object is, or else the output that depends on it.
    func nameForLog(of object: AnyObject) -> String {
        // The instance of an action that ends late may be closed.
        if let name = memberName(of: object) ?? (object as? AnyAction)?.activity?.name { return name }
        let type = (object as? any ListSource)?.typeName ?? "\(type(of: object))"
        let words = "\("AEIOU".contains(type.prefix(1)) ? "an" : "a") \(type)"
        guard let output = (object as? Node)?.dependentOutput, let name = name(of: output) else { return words }
        return output === object ? name : "\(words) on which \(name) depends"
    }

    /// Returns the member of an instance or a shared model that an object is, with its place.
    private func memberName(of object: AnyObject) -> String? {
        for instance in instances {
            let places = (instance.object as? any PlacedMembers)?.memberPlaces ?? []
            if let member = places.first(where: { $0.isOf(object) }) {
                return "\(instance.id).\(member.name) (\(member.place))"
            }
        }
        for case let model as any PlacedMembers in services.shared.values {
            if let member = model.memberPlaces.first(where: { $0.isOf(object) }) {
                return "\(type(of: model)).\(member.name) (\(member.place))"
            }
        }
        return nil
    }

    /// Returns the name of an instance's output, with the place of its member.
    private func name(of output: AnyOutput) -> String? {
        guard let instance = output.owner?.takeUnretainedValue() as? Instance else { return nil }
        let slot = instance.type.slots[output.index].name
        // An output of an action is at the place of the action.
        let member = slot.prefix { $0 != "." }
        let places = (instance.object as? any PlacedMembers)?.memberPlaces ?? []
        let place = places.first { $0.name == member }
        return "\(instance.id).\(slot)\(place.map { " (\($0.place))" } ?? "")"
    }
}
