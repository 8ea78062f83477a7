/// An attribute of an element. Names come from a closed list, so that none can hold a script (`onclick`, `style`).
package struct HTMLAttribute: Hashable, Sendable {
  package enum Name: String, Hashable, CaseIterable, Sendable {
    case autocomplete, charset, `class`, cols, content, d, datetime, `defer`, dir, disabled, `for`, height, hidden, id,
      inputmode, lang
    case maxlength, method, minlength, name, open, placeholder, rel, required, role, rows, rx, scope, selected
    case spellcheck, tabindex, title, type, value, width, x, y, cx, cy, r
    case viewBox, preserveAspectRatio, fill, stroke
    case ariaCurrent = "aria-current"
    case ariaDescribedBy = "aria-describedby"
    case ariaHidden = "aria-hidden"
    case ariaLabel = "aria-label"
    case strokeDashes = "stroke-dasharray"
    case strokeWidth = "stroke-width"
    case dataCopy = "data-copy"
    case dataCopyFrom = "data-copy-from"
    case dataCode = "data-code"
    case dataExclude = "data-exclude"
    case dataHost = "data-host"
    case dataKey = "data-key"
    case dataKeys = "data-keys"
    case dataName = "data-name"
    case dataPasskey = "data-passkey"
    case dataUser = "data-user"
    case dataThemeSwitch = "data-theme-switch"
    // Those that name an address; only `LinkTarget` makes them.
    case action, href, src
  }

  let name: Name
  /// Nil for an attribute without a value.
  let value: String?

  private init(_ name: Name, _ value: String?) {
    self.name = name
    self.value = value
  }

  /// The names whose values a browser follows.
  private static let addresses: Set<Name> = [.action, .href, .src]

  /// An attribute with a text. An address is made by `link`, `action` or `source`.
  package static func of(_ name: Name, _ value: String) -> HTMLAttribute {
    precondition(!addresses.contains(name), "An address is a LinkTarget.")
    return HTMLAttribute(name, value)
  }

  /// An attribute without a value: `required`.
  package static func of(_ name: Name) -> HTMLAttribute { HTMLAttribute(name, nil) }

  package static func style(_ classes: String) -> HTMLAttribute { HTMLAttribute(.class, classes) }

  package static func link(_ target: LinkTarget) -> HTMLAttribute { HTMLAttribute(.href, target.text) }

  package static func action(_ target: LinkTarget) -> HTMLAttribute { HTMLAttribute(.action, target.text) }

  package static func source(_ target: LinkTarget) -> HTMLAttribute { HTMLAttribute(.src, target.text) }
}

/// An address on the page's own origin, or a place in the page: never another scheme, never another host.
package struct LinkTarget: Hashable, Sendable {
  package let text: String

  /// A path from its segments, with a query and the name of a place in the page.
  package init(_ segments: [String], query: [(name: String, value: String)] = [], place: String? = nil) {
    // An empty first segment would be `//`, which names a host.
    precondition(segments.first != "", "A path has no empty first segment.")
    var text = "/" + segments.map(Self.escaped).joined(separator: "/")
    let pairs = query.map { Self.escaped($0.name) + "=" + Self.escaped($0.value) }
    if !pairs.isEmpty { text += "?" + pairs.joined(separator: "&") }
    if let place { text += "#" + Self.escaped(place) }
    self.text = text
  }

  /// A place in the page.
  package static func place(_ name: String) -> LinkTarget { LinkTarget(written: "#" + escaped(name)) }

  private init(written text: String) { self.text = text }

  /// Everything but letters, digits and `-._~` is escaped. A segment of points alone would be taken for a folder.
  private static func escaped(_ text: String) -> String {
    if text == "." || text == ".." { return text.utf8.map { _ in "%2E" }.joined() }
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
      default: bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
