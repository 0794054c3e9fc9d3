internal import Glibc

/// Converts between RFC 3339 text and seconds since 1970, in UTC and the proleptic Gregorian calendar.
enum Timestamp {
    /// Reads a date with any offset and any fraction; returns nil for invalid text.
    static func parse(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        func has(_ characters: String, at index: Int) -> Bool {
            index < bytes.count && characters.utf8.contains(bytes[index])
        }
        func number(_ digits: Range<Int>) -> Int? {
            guard digits.upperBound <= bytes.count, bytes[digits].allSatisfy(ASCII.isDigit) else { return nil }
            return bytes[digits].reduce(0) { $0 * 10 + Int($1 - ASCII.zero) }
        }
        guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
            let day = number(8..<10), let start = start(ofDay: day, month, year), has("Tt ", at: 10),
            let hour = number(11..<13), has(":", at: 13), let minute = number(14..<16), has(":", at: 16),
            let second = number(17..<19), hour < 24, minute < 60, second <= 60
        else { return nil }
        var (end, fraction) = (19, 0.0)
        if has(".", at: end) {
            end = bytes[20...].firstIndex { !ASCII.isDigit($0) } ?? bytes.count
            guard let value = Double("0." + String(decoding: bytes[20..<end], as: UTF8.self)), end > 20 else {
                return nil
            }
            fraction = value
        }
        var offset = 0
        if !has("Zz", at: end) || bytes.count != end + 1 {
            guard has("+-", at: end), let hour = number(end + 1..<end + 3), has(":", at: end + 3),
                let minute = number(end + 4..<end + 6), hour < 24, minute < 60, bytes.count == end + 6
            else { return nil }
            offset = (hour * 3600 + minute * 60) * (has("-", at: end) ? -1 : 1)
        }
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
}
