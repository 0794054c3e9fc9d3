/// A list that finds an element by its id.
///
/// A change looks at no other element. A removal moves the later elements in memory.
struct IndexedList<Element: Identifiable & Equatable> {
    private(set) var elements: [Element] = []
    /// A number for each element, in ascending order, which a removal of others does not change.
    private var numbers: [Int] = []
    private var numbersByID: [Element.ID: Int] = [:]
    private var lastNumber = 0

    /// Creates an empty list.
    init() {}

    /// Creates a list of elements with unique ids, in O(n).
    init(_ elements: [Element]) {
        self.elements = elements
        numbers = elements.indices.map { $0 + 1 }
        lastNumber = elements.count
        numbersByID.reserveCapacity(elements.count)
        for (element, number) in zip(elements, numbers) { numbersByID[element.id] = number }
    }

    /// Returns the index of the element with this id, or nil.
    func index(of id: Element.ID) -> Int? {
        guard let number = numbersByID[id] else { return nil }
        var (low, high) = (0, numbers.count)
        while low < high {
            let middle = (low + high) / 2
            if numbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Appends an element whose id is new.
    mutating func append(_ element: Element) {
        lastNumber += 1
        elements.append(element)
        numbers.append(lastNumber)
        numbersByID[element.id] = lastNumber
    }

    /// Replaces an element with one that has the same id.
    mutating func replace(_ element: Element, at index: Int) {
        elements[index] = element
    }

    /// Removes and returns an element.
    mutating func remove(at index: Int) -> Element {
        let element = elements.remove(at: index)
        numbers.remove(at: index)
        numbersByID[element.id] = nil
        return element
    }
}
