import TestSupport
import ViewModelKit

/// A row of the lists under test.
@Schemable
struct Row: Identifiable {
    let id: Int
    var text: String
}

extension Array {
    /// Applies edits in order, as RFC 6902 does.
    mutating func apply(_ edits: [ListEdit<Element>]) {
        for edit in edits {
            switch edit {
            case .insert(let row, let index): insert(row, at: index)
            case .remove(let index): remove(at: index)
            case .replace(let row, let index): self[index] = row
            case .move(let from, let to): insert(remove(at: from), at: to)
            }
        }
    }
}

/// A list that changes at random, every change done to a plain array, too.
struct RandomRows {
    private(set) var rows: [Row] = []
    private var lastID = 0

    mutating func fresh(using random: inout Seeded) -> Row {
        lastID += 1
        return Row(id: lastID, text: "\(Int.random(in: 0..<3, using: &random))")
    }

    /// The edits of one row.
    static let single = 0..<10
    /// All edits.
    static let all = 0..<13

    /// Does one random edit to the cell and to the array.
    mutating func edit(_ cell: ListCell<Row>, kinds: Range<Int> = all, using random: inout Seeded) {
        let kind = Int.random(in: kinds, using: &random)
        guard !rows.isEmpty, kind > 2 else {
            let row = fresh(using: &random)
            let index = Int.random(in: 0...rows.count, using: &random)
            rows.insert(row, at: index)
            if index == rows.count - 1, kind > 0 { cell.append(row) } else { cell.insert(row, at: index) }
            return
        }
        let index = Int.random(in: rows.indices, using: &random)
        switch kind {
        case 3, 4:
            rows.remove(at: index)
            cell.remove(at: index)
        case 5, 6:
            rows[index].text = "\(Int.random(in: 0..<3, using: &random))"
            cell.replace(rows[index], at: index)
        case 7:
            rows[index] = fresh(using: &random)
            cell.replace(rows[index], at: index)
        case 8, 9:
            let target = Int.random(in: rows.indices, using: &random)
            rows.insert(rows.remove(at: index), at: target)
            cell.move(from: index, to: target)
        case 10:
            let remainder = Int.random(in: 0..<3, using: &random)
            rows.removeAll { $0.id % 3 == remainder }
            cell.removeAll { $0.id % 3 == remainder }
        case 11:
            let count = Int.random(in: 0..<8, using: &random)
            let ids = (0..<count).map { _ in Int.random(in: 0...lastID, using: &random) }
            rows.removeAll { ids.contains($0.id) }
            cell.removeAll(ids: ids)
        default:
            var new = rows.shuffled(using: &random).dropLast(Int.random(in: 0...rows.count, using: &random))
            new.append(fresh(using: &random))
            rows = Array(new)
            cell.replaceAll(with: rows)
        }
    }
}
