/// Converts between RFC 3339 text and seconds since 1970, in UTC and the proleptic Gregorian calendar.
enum Timestamp {
    private static let daySeconds = 86_400

    /// Reads a date with any offset and any fraction; returns nil for invalid text.
    static func parse(_ text: String) -> Double? {
        var reader = Reader(text: Array(text.utf8))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), 1...12 ~= month, 1...days(in: month, of: year) ~= day,
            reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), hour < 24, minute < 60, second <= 60,
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let time = hour * 3600 + minute * 60 + second - offset
        return Double(dayNumber(year, month, day) * daySeconds + time) + fraction
    }

    /// Writes a date in UTC; returns nil outside the years 0 to 9999.
    ///
    /// The seconds are rounded to milliseconds, which are written only if they are not zero.
    static func format(_ seconds: Double) -> String? {
        guard seconds.magnitude < 1e12 else { return nil }
        let milliseconds = Int((seconds * 1000).rounded())
        let (total, fraction) = floored(milliseconds, by: 1000)
        let (day, second) = floored(total, by: daySeconds)
        let (year, month, date) = civil(day)
        guard 0...9999 ~= year else { return nil }
        var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(date, 2))T"
        text += "\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        if fraction != 0 { text += ".\(padded(fraction, 3))" }
        return text + "Z"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    private static func floored(_ value: Int, by divisor: Int) -> (Int, Int) {
        let remainder = value % divisor
        return remainder < 0 ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the days from 1970-01-01 to a date.
    ///
    /// Years begin in March here, so that the leap day is the last day.
    private static func dayNumber(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let (era, yearOfEra) = floored(year, by: 400)
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the date of a day number.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = floored(day + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let march = (5 * dayOfYear + 2) / 153
        let month = march < 10 ? march + 3 : march - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
    }

    /// A cursor over the text of a date.
    private struct Reader {
        let text: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == text.count }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func number(_ width: Int) -> Int? {
            guard position + width <= text.count else { return nil }
            var result = 0
            for byte in text[position..<(position + width)] {
                guard ASCII.isDigit(byte) else { return nil }
                result = result * 10 + Int(byte - ASCII.zero)
            }
            position += width
            return result
        }

        /// Reads an optional fraction of a second; returns 0 without one and nil for an invalid one.
        mutating func fraction() -> Double? {
            guard skip(".") else { return 0 }
            let start = position
            while position < text.count, ASCII.isDigit(text[position]) { position += 1 }
            guard position > start else { return nil }
            return Double("0." + String(decoding: text[start..<position], as: UTF8.self))
        }

        /// Reads the offset from UTC; returns it in seconds, or nil for invalid text.
        mutating func offset() -> Int? {
            if skip("Z") || skip("z") { return 0 }
            let isWest = skip("-")
            guard isWest || skip("+"), let hour = number(2), skip(":"), let minute = number(2), hour < 24, minute < 60
            else { return nil }
            return (hour * 3600 + minute * 60) * (isWest ? -1 : 1)
        }
    }
}
