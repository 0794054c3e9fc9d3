import ViewModelKit

/// A kettle that brews tea.
@ViewModel
public final class Kettle {
    /// The minutes that the tea brews, as they are typed.
    @Field(.session) var minutes = "3"

    /// Creates a kettle.
    public init() {}
}
