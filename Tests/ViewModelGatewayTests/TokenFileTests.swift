import Foundation
import TestSupport
import Testing

@testable import ViewModelGateway

@Suite struct `The file with the token` {
    private let directory: TemporaryDirectory
    private var path: String { "\(directory.path)/token" }

    init() throws { directory = try TemporaryDirectory() }

    @Test func `is made for its user only, and read again`() throws {
        let token = try TokenFile.token(at: path)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try TokenFile.token(at: path) == token)
    }

    @Test(arguments: [0o640, 0o604, 0o610])
    func `is not used if others can do anything with it`(mode: Int) throws {
        _ = try TokenFile.token(at: path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let error = #expect(throws: GatewayExit.self) { try TokenFile.token(at: path) }
        #expect("\(error as Any)".contains("is not a file that only its user can read; remove it"))
    }

    @Test func `is no link, and has a token`() throws {
        let other = "\(directory.path)/other"
        _ = try TokenFile.token(at: other)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
        #expect(throws: GatewayExit.self) { try TokenFile.token(at: path) }
        try Data("short\n".utf8).write(to: URL(fileURLWithPath: other))
        #expect(throws: GatewayExit.self) { try TokenFile.token(at: other) }
    }
}
