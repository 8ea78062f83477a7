extension Markup {
  /// The page as HTML in UTF-8, with its document type.
  package var document: [UInt8] { Array("<!doctype html>\n".utf8) + bytes }

  /// The pieces as HTML in UTF-8.
  package var bytes: [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(32 << 10)
    for node in nodes { Self.write(node, to: &output) }
    return output
  }

  private static func write(_ node: Node, to output: inout [UInt8]) {
    switch node {
    case .text(let text): write(escaping: text, to: &output)
    case .element(let tag, let attributes, let content):
      output.append(0x3C)
      output += tag.rawValue.utf8
      for attribute in attributes { write(attribute, to: &output) }
      output.append(0x3E)
      guard !tag.isVoid else { return }
      if tag.dropsFirstLineBreak { output.append(0x0A) }
      if !tag.isAlwaysEmpty {
        for node in content { write(node, to: &output) }
      }
      output += "</".utf8
      output += tag.rawValue.utf8
      output.append(0x3E)
    }
  }

  private static func write(_ attribute: HTMLAttribute, to output: inout [UInt8]) {
    output.append(0x20)
    output += attribute.name.rawValue.utf8
    guard let value = attribute.value else { return }
    output += "=\"".utf8
    write(escaping: value, to: &output)
    output.append(0x22)
  }

  /// Writes text for content and for attributes in double quotes. A control character, which HTML does not allow, is
  /// replaced by U+FFFD.
  private static func write(escaping text: String, to output: inout [UInt8]) {
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: output += "&amp;".utf8
      case 0x3C: output += "&lt;".utf8
      case 0x3E: output += "&gt;".utf8
      case 0x22: output += "&quot;".utf8
      case 0x27: output += "&#39;".utf8
      case 0x60: output += "&#96;".utf8
      case 0x09, 0x0A: output.append(UInt8(scalar.value))
      case 0x00...0x1F, 0x7F...0x9F: output += "\u{FFFD}".utf8
      default: output += UTF8.encode(scalar).map(Array.init) ?? []
      }
    }
  }
}
