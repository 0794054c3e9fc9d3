import Foundation
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

/// The tables of methods and notifications in `docs/protocol.md`, made from the types.
enum ProtocolTables {
    /// The document.
    static let url = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "docs/protocol.md")

    static let begin = "<!-- begin: methods and notifications, written by ProtocolMethodTests -->\n"
    static let end = "<!-- end -->\n"

    /// The lines between the markers.
    static var text: String {
        """

        | method | result | scope | errors | summary |
        | --- | --- | --- | --- | --- |
        \(ProtocolMethods.all.map { row($0.type) }.joined(separator: "\n"))

        Each of them can also fail with \(codes(ErrorCode.common)).

        | notification | summary |
        | --- | --- |
        \(ProtocolMethods.notifications.map { row($0) }.joined(separator: "\n"))


        """
    }

    private static func row(_ method: any DescribedMethod.Type) -> String {
        let schema = method.resultSchema.json
        let result = names(schema).map { "`\($0)`" } ?? (schema["type"] == "null" ? "null" : "an object")
        let scope = method == ConnectionActFor.self ? "delegate" : method.scope.rawValue
        return "| \(call(method.name, method.paramsSchema)) | \(result) | `\(scope)` "
            + "| \(codes(method.errors)) | \(method.summary) |"
    }

    private static func row(_ notification: any DescribedNotification.Type) -> String {
        "| \(call(notification.name, notification.paramsSchema)) | \(notification.summary) |"
    }

    private static func call(_ name: String, _ params: WireSchema) -> String {
        names(params.json).map { "`\(name) \($0)`" } ?? "`\(name)`"
    }

    /// The names of an object's members; nil for another value, and for an object without members.
    private static func names(_ schema: JSONValue) -> String? {
        guard let members = schema["properties"]?.objectValue, !members.isEmpty else { return nil }
        let required = schema["required"]?.arrayValue ?? []
        return "{\(members.keys.map { $0 + (required.contains(.string($0)) ? "" : "?") }.joined(separator: ", "))}"
    }

    private static func codes(_ errors: [ErrorCode]) -> String {
        errors.isEmpty ? "none" : errors.map { "\($0.rawValue)" }.joined(separator: ", ")
    }
}
