/// The results that all outputs, bindings and windows of a list share in one step.
///
/// The list creates the object when a step first needs a result, and drops it at the end of the step.
final class ListStepResults<Row> {
    /// The results about the last edits of the list.
    struct Changes {
        /// The rows before the edits.
        var formerRows: [Row]?
        var edits: [ListEdit<Row>]?
        /// The edits with the rows' JSON texts.
        var encodedEdits: [ListEdit<[UInt8]>]?
    }

    /// The largest number of clients' positions for which results are kept.
    private static var positionLimit: Int { 8 }

    /// The version of the list that the results describe.
    let version: Int
    /// The JSON texts of rows, by index.
    var rowTexts: [Int: [UInt8]] = [:]
    /// The JSON text of the list.
    var text: [UInt8]?
    private var changes: [Int: Changes] = [:]

    init(version: Int) {
        self.version = version
    }

    /// The results about the last `count` logged edits.
    ///
    /// Clients that lack the same edits share them, whatever step they have seen last.
    subscript(last count: Int) -> Changes {
        get { changes[count] ?? Changes() }
        set {
            if changes.count >= Self.positionLimit, changes[count] == nil { changes.removeAll() }
            changes[count] = newValue
        }
    }
}
