import Markup
import Testing

/// Texts that run a script where a page takes them for HTML.
private let payloads = [
  "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>", "<svg><script>alert(1)</script></svg>", "\" onmouseover=\"alert(1)", "' onfocus='alert(1)",
  "\"><script>alert(1)</script>", "'><img src=x onerror=alert(1)>", "</title><script>alert(1)</script>",
  "</textarea><script>alert(1)</script>", "<iframe src=javascript:alert(1)>", "<a href=javascript:alert(1)>x</a>",
  "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\tscript:alert(1)", "data:text/html,<script>alert(1)</script>",
  "<body onload=alert(1)>", "<math><mtext><style><img src onerror=alert(1)>", "<!--><script>alert(1)</script>-->",
  "<![CDATA[<script>alert(1)</script>]]>", "<style>@import 'x'</style>", "<link rel=stylesheet href=//evil.test/x.css>",
  "<base href=//evil.test/>", "<meta http-equiv=refresh content=0;url=//evil.test>", "<form action=//evil.test><input>",
  "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;", "&#x3c;script&#x3e;",
  "%3Cscript%3Ealert(1)%3C/script%3E",
  "\u{FF1C}script\u{FF1E}alert(1)", "<scr\u{0}ipt>alert(1)</scr\u{0}ipt>", "`onclick=alert(1)", "{{constructor}}",
  "${alert(1)}", "<details open ontoggle=alert(1)>", "<video><source onerror=alert(1)>", "\u{2028}<b onclick=alert(1)>",
  "\u{202E}>tpircs<", "//evil.test/x", "<object data=x>",
  "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
]

@Suite struct `A page as a value` {
  private func written(_ markup: Markup) -> String { String(decoding: markup.bytes, as: UTF8.self) }

  /// Whether a text has none of the characters with which an element, an attribute or a reference begins or ends.
  private func isPlain(_ text: some StringProtocol) -> Bool {
    !text.contains { "<>\"'`".contains($0) }
      && text.split(separator: "&", omittingEmptySubsequences: false).dropFirst().allSatisfy { rest in
        ["amp;", "lt;", "gt;", "quot;", "#39;", "#96;"].contains { rest.hasPrefix($0) }
      }
  }

  @Test func `knows at least forty texts that attack`() { #expect(Set(payloads).count >= 40) }

  @Test(arguments: payloads)
  func `writes a text from outside as text, in an element and in an attribute`(payload: String) {
    let page = written(.element(.p, [.of(.title, payload)], .foreign(payload)))
    let start = "<p title=\""
    let middle = "\"><bdi>"
    let end = "</bdi></p>"
    #expect(page.hasPrefix(start) && page.hasSuffix(end))
    let parts = page.dropFirst(start.count).dropLast(end.count).split(separator: middle)
    #expect(parts.count == 2 && parts.allSatisfy(isPlain) && parts[0] == parts[1])
  }

  @Test(arguments: payloads)
  func `makes of a text from outside an address on its own origin alone`(payload: String) {
    let target = LinkTarget(["console", payload], query: [("q", payload)], place: payload).text
    #expect(target.hasPrefix("/console/") && !target.hasPrefix("//"))
    let allowed = Set("/?#=%-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    #expect(target.allSatisfy(allowed.contains))
    #expect(LinkTarget.place(payload).text.hasPrefix("#"))
  }

  @Test func `never writes content into a script, which a browser would run`() {
    #expect(written(.element(.script, [], .text("alert(1)"))) == "<script></script>")
  }

  @Test func `has no attribute that runs a script or styles an element`() {
    for name in HTMLAttribute.Name.allCases {
      #expect(!name.rawValue.hasPrefix("on") && name.rawValue != "style" && name.rawValue != "srcdoc")
    }
    #expect(!["iframe", "object", "embed", "base", "style"].contains { HTMLTag(rawValue: $0) != nil })
  }

  @Test func `replaces characters that HTML does not allow`() {
    #expect(written(.text("a\u{0}b\u{8}c\u{85}d\r\te\n")) == "a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}\te\n")
  }

  @Test func `keeps a line break at the start of preformatted text`() {
    #expect(written(.element(.pre, .text("\na"))) == "<pre>\n\na</pre>")
  }

  @Test func `writes elements without content without an end tag, and attributes without a value`() {
    let input = Markup.element(.input, [.of(.name, "q"), .of(.required)])
    #expect(
      written(.element(.form, [.action(LinkTarget(["a", ".."]))], input, .text("é 好")))
        == "<form action=\"/a/%2E%2E\"><input name=\"q\" required>é 好</form>")
    #expect(String(decoding: Markup().document, as: UTF8.self) == "<!doctype html>\n")
  }
}
