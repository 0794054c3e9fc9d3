import TestSupport
import Foundation
import JSONRPC
import Testing

@Suite struct `Dates and data` {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-01-31T12:00:00Z", 1_769_860_800),
            ("2026-01-31t13:30:00.25+01:30", 1_769_860_800.25),
            ("2026-01-31 04:00:00-08:00", 1_769_860_800), ("1969-12-31T23:59:59.5z", -0.5),
            ("2000-02-29T00:00:00Z", 951_782_400),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("9999-12-31T23:59:59.999Z", 253_402_300_799.999),
            ("2016-12-31T23:59:60Z", 1_483_228_800), ("1970-01-01T00:00:00.000000001Z", 1e-9),
        ] as [(String, Double)]
    )
    func `RFC 3339 is read`(_ text: String, _ seconds: Double) throws {
        #expect(
            try decode(Date.self, "\"\(text)\"").timeIntervalSince1970
                == Date(timeIntervalSince1970: seconds).timeIntervalSince1970
        )
    }

    @Test(arguments: [
        "", "2026-01-31", "2026-01-31T12:00:00", "2026-1-31T12:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-31T24:00:00Z",
        "2026-01-31T12:60:00Z", "2026-01-31T12:00:61Z", "2026-01-31T12:00:00.Z", "2026-01-31T12:00:00+1:00",
        "2026-01-31T12:00:00+24:00", "2026-01-31T12:00:00ZZ", " 2026-01-31T12:00:00Z", "2026-01-31T12:00:00+0100",
    ])
    func `what is none is refused`(_ text: String) {
        #expect(
            mismatch(Date.self, "\"\(text)\"")
                == ValueMismatch(path: "", expected: "a date as in 2026-01-31T12:00:00Z", found: "\"\(text)\"")
        )
    }

    @Test func `a date comes back to its millisecond`() throws {
        var random = Seeded(5)
        let formatter = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<2000 {
            let date = Date(
                timeIntervalSince1970: Double(Int.random(in: -62_167_219_200_000...253_402_300_799_999, using: &random))
                    / 1000
            )
            let text = try encode(date)
            #expect(abs(try decode(Date.self, text).timeIntervalSince(date)) < 0.0005)
            if text.contains("."), date.timeIntervalSince1970 > -10_000_000_000 {
                #expect(abs(try formatter.parse(String(text.dropFirst().dropLast())).timeIntervalSince(date)) < 0.0015)
            }
        }
    }

    @Test func `data is base64`() throws {
        #expect(try decode(Data.self, #""+\/8=""#) == Data([0xFB, 0xFF]))
        #expect(try decode([Data].self, #"["",""]"#) == [Data(), Data()])
        #expect(
            mismatch([Data].self, #"["!"]"#)
                == ValueMismatch(path: "/0", expected: "a string in base64", found: #""!""#)
        )
        #expect(mismatch(Data.self, "1") == ValueMismatch(path: "", expected: "a string in base64", found: "1"))
    }
}
