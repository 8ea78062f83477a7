import Cryptography
import HTTPMessages
import Markup
import PaymentPrimitives

/// The files that pages name, under names that change with their content. So a browser keeps them for ever.
struct ConsoleAssets {
  struct File {
    let name: String
    let mediaType: String
    let body: [UInt8]

    var link: LinkTarget { LinkTarget(["console", "assets", name]) }

    fileprivate init(_ stem: String, _ ending: String, as mediaType: String, text: String) {
      body = Array(text.utf8)
      // Eight digits of the digest tell two versions apart.
      name = "\(stem).\(Array(SHA256.hash(body)).hexadecimal.prefix(8)).\(ending)"
      self.mediaType = mediaType
    }
  }

  static let style = File("console", "css", as: "text/css; charset=utf-8", text: ConsoleStyles.text)
  static let script = File("console", "js", as: "text/javascript; charset=utf-8", text: ConsoleScript.text)
  static let icon = File(
    "icon", "svg", as: "image/svg+xml",
    text: """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><path d="M2 4h7v12H2zM11 4h7v12h-7z" fill="none" \
      stroke="#0b5c66" stroke-width="1.7"/><path d="M10 3v14" stroke="#0b5c66" stroke-width="1.4" \
      stroke-dasharray="1.6 1.6"/></svg>
      """)
  static let all = [style, script, icon]

  static func response(to name: String) -> HTTPResponse? {
    all.first { $0.name == name }.map { file in
      HTTPResponse(
        status: 200,
        fields: ["Content-Type": file.mediaType, "Cache-Control": "public, max-age=31536000, immutable"],
        body: file.body)
    }
  }
}
