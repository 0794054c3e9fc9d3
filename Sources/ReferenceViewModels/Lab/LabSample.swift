import Foundation
import ViewModelKit

/// A record with a member of each type that values can have.
@Schemable
struct LabSample {
    /// A value from a fixed set.
    @Schemable
    enum Colour: String, CaseIterable {
        case red, green, blue
    }

    /// An object inside of the record.
    @Schemable
    struct Place {
        var name: String
        /// Degrees north of the equator, negative in the south.
        var latitude: Double
        /// Degrees east of Greenwich, negative in the west.
        var longitude: Double
    }

    /// A moment.
    var date: Date = LabSample.moment
    /// Binary data.
    var data: Data = Data("viewmodel".utf8)
    /// A number with a fraction.
    var double: Double = 0.5
    /// A text, or null.
    var optional: String?
    /// An object inside of the record.
    var nested: Place = Place(name: "Greenwich", latitude: 51.4779, longitude: 0)
    /// A value from a fixed set.
    var colour: Colour = .green
    /// An identifier.
    var uuid: UUID = LabSample.identifier
    /// An amount of money, of which no digit is lost.
    var decimal: Decimal = LabSample.amount
    /// Texts in an order.
    var list: [String] = ["one", "two"]
    /// Numbers by their names.
    var dictionary: [String: Int] = ["one": 1]
}

extension LabSample {
    /// The first moment of the year 2001.
    static let moment = Date(timeIntervalSinceReferenceDate: 0)
    private static let amount = Decimal(sign: .plus, exponent: -2, significand: 1999)
    private static let identifier = UUID(
        uuid: (0x6B, 0xA7, 0xB8, 0x10, 0x9D, 0xAD, 0x11, 0xD1, 0x80, 0xB4, 0, 0xC0, 0x4F, 0xD4, 0x30, 0xC8)
    )
}
