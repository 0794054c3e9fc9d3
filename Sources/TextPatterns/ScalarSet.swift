/// A class of code points.
struct ScalarSet: Sendable {
    private var ranges: [ClosedRange<UInt32>]
    private var categories: Set<Unicode.GeneralCategory> = []
    private var isNegated = false
    /// The members below U+0080, a bit each.
    private var ascii: (UInt64, UInt64) = (0, 0)

    init(_ ranges: [ClosedRange<UInt32>], _ categories: Set<Unicode.GeneralCategory> = [], isNegated: Bool = false) {
        self.ranges = ranges
        self.categories = categories
        self.isNegated = isNegated
        for value in 0..<64 as Range<UInt32> {
            if searched(value) { ascii.0 |= 1 << UInt64(value) }
            if searched(value + 64) { ascii.1 |= 1 << UInt64(value) }
        }
    }

    /// The set of the members of several sets.
    init(union sets: [ScalarSet], isNegated: Bool) {
        self.init(sets.flatMap(\.ranges), sets.reduce(into: []) { $0.formUnion($1.categories) }, isNegated: isNegated)
    }

    init(_ scalar: Unicode.Scalar) {
        self.init([scalar.value...scalar.value])
    }

    @inline(__always)
    func contains(_ scalar: Unicode.Scalar) -> Bool {
        let value = scalar.value
        if value < 64 { return ascii.0 >> UInt64(value) & 1 == 1 }
        if value < 128 { return ascii.1 >> UInt64(value - 64) & 1 == 1 }
        return searched(value)
    }

    private func searched(_ value: UInt32) -> Bool {
        let isMember =
            ranges.contains { $0.contains(value) }
            || !categories.isEmpty
                && Unicode.Scalar(value).map { categories.contains($0.properties.generalCategory) } == true
        return isMember != isNegated
    }

    /// The code points that are not in the ranges of this set, which has no categories.
    var complement: ScalarSet {
        var (rest, start): ([ClosedRange<UInt32>], UInt32) = ([], 0)
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > start { rest.append(start...range.lowerBound - 1) }
            start = max(start, range.upperBound + 1)
        }
        return ScalarSet(start <= 0x10FFFF ? rest + [start...0x10FFFF] : rest)
    }

    /// The set of `\d`.
    static let digits = ScalarSet([0x30...0x39])
    /// The set of `\w`.
    static let words = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// `\s`: white space and line ends of ECMA-262.
    static let blanks = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
    /// The set of `.`.
    static let anyButLineEnds = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]).complement

    /// Returns the set of `\p{name}`, or nil if the name is not that of a general category.
    init?(property name: String, isNegated: Bool) {
        let parts = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, parts[0] != "gc", parts[0] != "General_Category" { return nil }
        let name = parts.last ?? ""
        let members = Self.categories.filter { $0.short == name || $0.long == name || $0.groups.contains(name) }
        guard !members.isEmpty else { return nil }
        let all = Set(members.map { $0.category })
        self.init([], isNegated ? Set(Self.categories.map { $0.category }).subtracting(all) : all)
    }

    /// The general categories with their names, and the names of the groups that contain them.
    private static let categories:
        [(category: Unicode.GeneralCategory, short: Substring, long: Substring, groups: [Substring])] = [
            (.uppercaseLetter, "Lu", "Uppercase_Letter", ["L", "Letter", "LC", "Cased_Letter"]),
            (.lowercaseLetter, "Ll", "Lowercase_Letter", ["L", "Letter", "LC", "Cased_Letter"]),
            (.titlecaseLetter, "Lt", "Titlecase_Letter", ["L", "Letter", "LC", "Cased_Letter"]),
            (.modifierLetter, "Lm", "Modifier_Letter", ["L", "Letter"]),
            (.otherLetter, "Lo", "Other_Letter", ["L", "Letter"]),
            (.nonspacingMark, "Mn", "Nonspacing_Mark", ["M", "Mark", "Combining_Mark"]),
            (.spacingMark, "Mc", "Spacing_Mark", ["M", "Mark", "Combining_Mark"]),
            (.enclosingMark, "Me", "Enclosing_Mark", ["M", "Mark", "Combining_Mark"]),
            (.decimalNumber, "Nd", "Decimal_Number", ["digit", "N", "Number"]),
            (.letterNumber, "Nl", "Letter_Number", ["N", "Number"]),
            (.otherNumber, "No", "Other_Number", ["N", "Number"]),
            (.connectorPunctuation, "Pc", "Connector_Punctuation", ["P", "Punctuation", "punct"]),
            (.dashPunctuation, "Pd", "Dash_Punctuation", ["P", "Punctuation", "punct"]),
            (.openPunctuation, "Ps", "Open_Punctuation", ["P", "Punctuation", "punct"]),
            (.closePunctuation, "Pe", "Close_Punctuation", ["P", "Punctuation", "punct"]),
            (.initialPunctuation, "Pi", "Initial_Punctuation", ["P", "Punctuation", "punct"]),
            (.finalPunctuation, "Pf", "Final_Punctuation", ["P", "Punctuation", "punct"]),
            (.otherPunctuation, "Po", "Other_Punctuation", ["P", "Punctuation", "punct"]),
            (.mathSymbol, "Sm", "Math_Symbol", ["S", "Symbol"]),
            (.currencySymbol, "Sc", "Currency_Symbol", ["S", "Symbol"]),
            (.modifierSymbol, "Sk", "Modifier_Symbol", ["S", "Symbol"]),
            (.otherSymbol, "So", "Other_Symbol", ["S", "Symbol"]),
            (.spaceSeparator, "Zs", "Space_Separator", ["Z", "Separator"]),
            (.lineSeparator, "Zl", "Line_Separator", ["Z", "Separator"]),
            (.paragraphSeparator, "Zp", "Paragraph_Separator", ["Z", "Separator"]),
            (.control, "Cc", "Control", ["cntrl", "C", "Other"]),
            (.format, "Cf", "Format", ["C", "Other"]),
            (.surrogate, "Cs", "Surrogate", ["C", "Other"]),
            (.privateUse, "Co", "Private_Use", ["C", "Other"]),
            (.unassigned, "Cn", "Unassigned", ["C", "Other"]),
        ]
}
