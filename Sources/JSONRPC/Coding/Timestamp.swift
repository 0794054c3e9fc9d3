internal import Glibc

/// Converts between RFC 3339 text and seconds since 1970, in UTC and the proleptic Gregorian calendar.
enum Timestamp {
    /// Reads a date with any offset and any fraction; returns nil for invalid text.
    static func parse(_ text: String) -> Double? {
        var reader = Reader(text: Array(text.utf8))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), let start = start(ofDay: day, month, year),
            reader.skip("T") || reader.skip("t") || reader.skip(" "),
            let hour = reader.number(2), reader.skip(":"), let minute = reader.number(2), reader.skip(":"),
            let second = reader.number(2), hour < 24, minute < 60, second <= 60,
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        return Double(start + hour * 3600 + minute * 60 + second - offset) + fraction
    }

    /// Returns the first second of a day, or nil if there is no such day.
    private static func start(ofDay day: Int, _ month: Int, _ year: Int) -> Int? {
        var date = tm()
        (date.tm_year, date.tm_mon, date.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        let seconds = timegm(&date)
        // timegm(3) changes a day that its month does not have to one of the next month.
        return date.tm_mon == month - 1 && date.tm_mday == day ? seconds : nil
    }

    /// Writes a date in UTC; returns nil outside the years 0 to 9999.
    ///
    /// The seconds are rounded to milliseconds, which are written only if they are not zero.
    static func format(_ seconds: Double) -> String? {
        guard seconds.magnitude < 1e12 else { return nil }
        let milliseconds = Int((seconds * 1000).rounded())
        let fraction = (milliseconds % 1000 + 1000) % 1000
        var total = (milliseconds - fraction) / 1000
        var time = tm()
        gmtime_r(&total, &time)
        guard 0...9999 ~= time.tm_year + 1900 else { return nil }
        var text = "\(padded(time.tm_year + 1900, 4))-\(padded(time.tm_mon + 1, 2))-\(padded(time.tm_mday, 2))T"
        text += "\(padded(time.tm_hour, 2)):\(padded(time.tm_min, 2)):\(padded(time.tm_sec, 2))"
        if fraction != 0 { text += ".\(padded(Int32(fraction), 3))" }
        return text + "Z"
    }

    private static func padded(_ number: Int32, _ width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
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
