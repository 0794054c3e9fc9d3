/// A member of a class with its line in the source, so that the log can name the member in which a mistake was made.
///
/// `@ViewModel` and `@SharedModel` generate them. Authors do not create one.
public struct MemberPlace {
    package let name: String
    /// The file and the line, such as `Weather.swift:12`.
    package let place: String
    private let objects: [AnyObject]

    /// Creates the place of a member.
    ///
    /// - Parameters:
    ///   - name: the name of the member.
    ///   - file: the file as `#fileID` writes it.
    ///   - line: the line in the file.
    ///   - objects: the objects behind the member, such as a ``Cell`` and an ``Input``.
    public init(_ name: String, _ file: String, _ line: Int, _ objects: AnyObject...) {
        self.name = name
        place = "\(file.split(separator: "/").last ?? ""):\(line)"
        self.objects = objects
    }

    /// Returns whether an object is behind the member.
    package func isOf(_ object: AnyObject) -> Bool { objects.contains { $0 === object } }
}

/// A class that knows the lines of its members in the source.
public protocol PlacedMembers: AnyObject {
    /// The members that `@ViewModel` or `@SharedModel` has found.
    ///
    /// It is read only after a mistake of the class, so that a living instance costs nothing.
    var memberPlaces: [MemberPlace] { get }
}

extension PlacedMembers {
    /// No members, for a class without a macro.
    public var memberPlaces: [MemberPlace] { [] }
}
