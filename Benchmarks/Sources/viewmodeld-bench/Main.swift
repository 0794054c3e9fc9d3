import ArgumentParser
import ViewModelBench

/// The entry point of the program.
@main
enum Main {
    static func main() {
        BenchCommand.main()
    }
}
