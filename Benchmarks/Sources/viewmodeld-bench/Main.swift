import ArgumentParser
import ViewModelBench

/// The program.
@main
enum Main {
    static func main() {
        BenchCommand.main()
    }
}
