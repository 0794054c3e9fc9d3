import ViewModelKit

/// The bell of a house.
final class Bell {
    let rang = Event<Int>()
}

/// A door with the bell of the house.
@ViewModel
final class Door {
    @Event var rang: Event<Int> { bell.rang }
    private let bell: Bell

    init(bell: Bell) { self.bell = bell }

    @Input func ring(_ number: Int) { bell.rang.send(number) }
}
