import NIOHTTP1

/// The refusal of an HTTP request: the status and the reason, which the client sees.
struct RequestRefusal: Error, Equatable {
    var status: HTTPResponseStatus
    var reason: String
    var headers: HTTPHeaders

    init(_ status: HTTPResponseStatus, _ reason: String, _ headers: HTTPHeaders = [:]) {
        self.status = status
        self.reason = reason
        self.headers = headers
    }
}
