import Foundation
import ViewModelKit

/// The result of `lab.prompt`.
@Schemable
struct LabAnswer {
    /// The id of the button that the person chose in a `confirm` prompt, else null.
    var button: String?
    /// The text that the person typed into an `input` prompt, or null after `cancel` and for another kind.
    var text: String?
}

extension LabAnswer {
    static let inputButtons: [Prompt.Button] = [
        .init(id: "ok", title: "OK"), .init(id: "cancel", title: "Cancel", role: .cancel),
    ]
    static let buttonsOfEachRole: [Prompt.Button] = [
        .init(id: "ok", title: "Keep"), .init(id: "delete", title: "Delete", role: .destructive),
        .init(id: "cancel", title: "Cancel", role: .cancel),
    ]
}

/// The result of `lab.book`.
@Schemable
struct Booking {
    /// The number of booked seats.
    let seats: Int
}

/// Why seats were not booked.
@Failure
enum BookingFailure {
    /// Fewer seats are left.
    case soldOut(seatsLeft: Int, nextShow: Date)
    /// The office is busy; the same call may succeed later.
    @Retryable case officeBusy(seconds: Double)
    /// The office is closed.
    case officeClosed
}
