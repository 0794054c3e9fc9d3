import NIOCore

/// A page with a sentence for the person, and perhaps a link.
struct TeamPage {
    let title: String
    let text: String
    var link: (text: String, path: String)?

    var html: ByteBuffer {
        let link = link.map { "<p><a href=\"\(Self.escaped($0.path))\">\(Self.escaped($0.text))</a></p>" }
        return ByteBuffer(
            string: """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>\(Self.escaped(title))</title>
                <link rel="icon" href="icon.svg">
                <link rel="stylesheet" href="team.css">
                </head>
                <body>
                <main><h1>\(Self.escaped(title))</h1><p>\(Self.escaped(text))</p>\(link ?? "")</main>
                </body>
                </html>

                """
        )
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
    }
}
