/// The elements that pages use. Elements whose content is not text with references (`script` with content, `style`,
/// `iframe`) are not here.
package enum HTMLTag: String, Hashable, CaseIterable, Sendable {
  case a, b, bdi, body, button, caption, circle, code, dd, details, dialog, div, dl, dt, footer, form, h1, h2, h3
  case head, header, html, i, input, kbd, label, li, link, main, meta, nav, ol, option, p, path, pre, q, rect, script,
    section, select
  case small, span, summary, svg, table, tbody, td, textarea, th, thead, time, title, tr, ul

  /// Whether it has neither content nor an end tag.
  var isVoid: Bool {
    switch self {
    case .input, .link, .meta: true
    default: false
    }
  }

  /// Whether a browser reads its content otherwise than as text with references, so that it is always empty.
  var isAlwaysEmpty: Bool { self == .script }

  /// Whether its content begins after a line break that browsers drop.
  var dropsFirstLineBreak: Bool { self == .pre || self == .textarea }
}
