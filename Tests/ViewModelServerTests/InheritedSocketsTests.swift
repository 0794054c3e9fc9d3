import Testing

@testable import ViewModelServer

@Suite struct Placeholder {}
