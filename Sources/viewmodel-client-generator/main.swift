import ClientGenerators
import Foundation
import UnixIO
import ViewModelContract

// The tool of ViewModelClientPlugin: it reads a contract file and writes its Swift client. `viewmodelctl generate swift`
// writes the same file. This tool has no command line of its own, so that the plugin builds few packages.
StandardDescriptors.open()
let arguments = ProcessText.arguments.dropFirst()
guard let contractPath = arguments.first, let clientPath = arguments.last, arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: viewmodel-client-generator CONTRACT CLIENT\n".utf8))
    exit(64)
}
do {
    let descriptor = open(contractPath.cPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0, let status = stat(of: descriptor) else { throw SystemError.last }
    guard status.kind != S_IFDIR else { throw SystemError(code: EISDIR) }
    let bytes = try FileHandle(fileDescriptor: descriptor).readToEnd() ?? Data()
    guard let text = String(validating: bytes, as: UTF8.self) else {
        try? Descriptor.error.write(line: "\(contractPath): error: the file is not UTF-8 text")
        exit(1)
    }
    let contract = try Contract(ContractNode(json: text))
    let client = ClientGenerator.swift.files(contract).map(\.text).joined()
    try OutputFile(clientPath).write(Array(client.utf8))
} catch let fault as ContractFault {
    // The form that Xcode and SwiftPM show as an error of the file.
    let line = fault.line.map { ":\($0)" } ?? ""
    try? Descriptor.error.write(line: "\(contractPath)\(line): error: \(fault.pointer): \(fault.message)")
    exit(1)
} catch let error as OutputFileError {
    try? Descriptor.error.write(line: "error: \(error)")
    exit(1)
} catch {
    try? Descriptor.error.write(line: "\(contractPath): error: the file cannot be read: \(error)")
    exit(1)
}
