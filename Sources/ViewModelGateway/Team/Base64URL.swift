import Foundation

/// Base64 for addresses and cookies, without padding (RFC 4648, section 5).
extension Data {
    init?(base64URL text: some StringProtocol) {
        let text = String(text).replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
    }

    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
