import Foundation
import NIOSSL
import TestSupport
import Testing

@testable import Accounts

/// A real TLS server whose certificates were made for these tests; `here.key` is the key of all but the authority's.
@Suite struct `A backend behind TLS` {
    private static func path(_ name: String) throws -> String {
        try #require(Bundle.module.path(forResource: name, ofType: nil, inDirectory: "Certificates"))
    }

    /// Runs a test with a backend that has this certificate, and a daemon that believes the authority's ones.
    private static func with(
        certificate: String,
        maximum: TLSVersion? = nil,
        _ body: @escaping (AccountFixture, Backend) async throws -> Void
    ) async throws {
        let chain = try NIOSSLCertificate.fromPEMFile(path(certificate)).map { NIOSSLCertificateSource.certificate($0) }
        let key = try NIOSSLPrivateKey(file: path("here.key"), format: .pem)
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: .privateKey(key))
        tls.maximumTLSVersion = maximum
        let backend = try await Backend(tls: tls) { _ in .json(#"{"token": "t", "auto_login": {"account": "ada"}}"#) }
        let transport = HTTPTransport(timeout: .seconds(30), trusting: .file(try path("ca.pem")))
        try await AccountFixture.with({ _ in try HTTPProvider(url: backend.url, over: transport) }) {
            try await body($0, backend)
        }
        await backend.stop()
    }

    @Test func `is signed in to where its certificate is good`() async throws {
        try await Self.with(certificate: "here.pem") { fixture, backend in
            try await fixture.signIn()
            #expect(backend.count("/login") == 1)
        }
    }

    @Test(arguments: [
        ("alone.pem", nil, "cannot prove who it is"), ("elsewhere.pem", nil, "cannot prove who it is"),
        ("expired.pem", nil, "cannot prove who it is"), ("here.pem", TLSVersion.tlsv11, "TLS 1.2 or later"),
    ])
    func `gets no password where its certificate is its own, another host's or too old, or before TLS 1.2`(
        certificate: String,
        maximum: TLSVersion?,
        reason: String
    ) async throws {
        try await Self.with(certificate: certificate, maximum: maximum) { fixture, backend in
            let error = try await failure { try await fixture.signIn() }
            #expect(error.kind == .unreachable)
            #expect(error.description.contains(reason), "\(error)")
            #expect(fixture.snapshot().state == .signedOut)
            #expect(backend.requests.isEmpty)
        }
    }

    @Test func `gets no password where it turns out to speak plain HTTP`() async throws {
        let backend = try await Backend { _ in .json(#"{"token": "t", "auto_login": {"account": "ada"}}"#) }
        let url = backend.url.replacing("http:", with: "https:")
        try await AccountFixture.with({ _ in try HTTPProvider(url: url, timeout: .seconds(30)) }) { fixture in
            let error = try await failure { try await fixture.signIn() }
            #expect(error.kind == .unreachable)
            #expect(backend.requests.isEmpty)
        }
        await backend.stop()
    }
}
