import ClientGenerators
import Foundation
import UnixIO
import ViewModelContract

// The tool of ViewModelClientPlugin: it reads a contract file and writes its Swift client. `viewmodelctl generate swift`
// writes the same file. This tool has no command line of its own, so that the plugin builds few packages.
StandardDescriptors.open()
let arguments = CommandLine.arguments.dropFirst()
if let problem = ProcessText.argumentProblem {
    FileHandle.standardError.write(Data("error: \(problem)\n".utf8))
    exit(64)
}
guard let contractPath = arguments.first, let clientPath = arguments.last, arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: viewmodel-client-generator CONTRACT CLIENT\n".utf8))
    exit(64)
}
do {
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: contractPath, isDirectory: &isDirectory), isDirectory.boolValue {
        throw SystemError(code: EISDIR)
    }
    guard access(contractPath, R_OK) == 0, let bytes = FileManager.default.contents(atPath: contractPath) else {
        throw SystemError.last
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
        FileHandle.standardError.write(Data("\(contractPath): error: the file is not UTF-8 text\n".utf8))
        exit(1)
    }
    let contract = try Contract(ContractNode(json: text))
    let client = ClientGenerator.swift.files(contract).map(\.text).joined()
    try OutputFile(clientPath).write(Array(client.utf8))
} catch let fault as ContractFault {
    // The form that Xcode and SwiftPM show as an error of the file.
    let place = fault.line.map { ":\($0)" } ?? ""
    FileHandle.standardError.write(Data("\(contractPath)\(place): error: \(fault.pointer): \(fault.message)\n".utf8))
    exit(1)
} catch let error as OutputFileError {
    FileHandle.standardError.write(Data("error: \(error)\n".utf8))
    exit(1)
} catch {
    FileHandle.standardError.write(Data("\(contractPath): error: the file cannot be read: \(error)\n".utf8))
    exit(1)
}
