import CTOML
import PaymentPrimitives

/// Reads TOML 1.0 through toml++, within limits.
package enum TOMLReader {
  /// The root table of a TOML text: UTF-8, no key twice.
  ///
  /// - Parameter name: the name of the text in errors, such as the file's path.
  /// - Throws: a `ConfigurationError` with one problem and its position.
  package static func read(
    _ bytes: [UInt8], named name: String, limits: TOMLLimits = .configuration
  ) throws(ConfigurationError) -> TOMLValue {
    guard bytes.count <= limits.bytesMax else {
      throw problem(
        .tooLarge, "It has \(bytes.count) bytes; at most \(limits.bytesMax) are read.", name: name, place: nil)
    }
    let document = bytes.withUnsafeBytes { buffer in
      ctomlParse(
        buffer.bindMemory(to: CChar.self).baseAddress, buffer.count, UInt32(clamping: limits.depthMax),
        UInt32(clamping: limits.valuesMax))
    }
    guard let document else { throw problem(.tooLarge, "There is no memory to read it.", name: name, place: nil) }
    defer { ctomlFree(document) }
    let place = TOMLPosition(
      line: Int(ctomlErrorLine(document)), column: Int(ctomlErrorColumn(document)))
    switch ctomlOutcome(document) {
    case CTOMLOutcomeParsed:
      var flat = FlatNodes(
        nodes: UnsafeBufferPointer(start: ctomlNodes(document), count: ctomlNodeCount(document)))
      return flat.value()
    case CTOMLOutcomeSyntaxError:
      let message = withoutQuotedValues(String(cString: ctomlErrorMessage(document)))
      throw problem(.syntax, message + ".", name: name, place: place)
    case CTOMLOutcomeTooDeep:
      throw problem(.tooDeep, "At most \(limits.depthMax) levels are read.", name: name, place: place)
    case CTOMLOutcomeTooManyNodes:
      throw problem(.tooManyValues, "At most \(limits.valuesMax) are read.", name: name, place: place)
    default:
      throw problem(.tooLarge, "There is no memory to read it.", name: name, place: nil)
    }
  }

  private static func problem(
    _ code: ConfigurationErrorCode, _ details: String, name: String, place: TOMLPosition?
  ) -> ConfigurationError {
    let known = place.flatMap { $0.line > 0 ? $0 : nil }
    return ConfigurationError([
      ConfigurationProblem(CodedError(code, details), at: .file(name, known), setting: nil)
    ])
  }

  /// The parser's message without quoted values: part of a misplaced secret could otherwise reach a log.
  ///
  /// Names of keys stay: they help, and are not secret.
  static func withoutQuotedValues(_ message: String) -> String {
    let kept = message.firstRange(of: ", saw '").map { message[..<$0.lowerBound] } ?? message[...]
    guard !kept.contains("redefine"), !kept.contains("expected '"),
      let first = kept.firstIndex(of: "'"), let last = kept.lastIndex(of: "'"), first < last,
      kept.distance(from: first, to: last) > 2
    else { return String(kept) }
    return kept[..<first] + "the value" + kept[kept.index(after: last)...]
  }
}

/// Builds values from the shim's list, in which the children of a node follow it.
private struct FlatNodes {
  let nodes: UnsafeBufferPointer<CTOMLNode>
  private var next = 0

  init(nodes: UnsafeBufferPointer<CTOMLNode>) { self.nodes = nodes }

  /// The next value with all its children. The shim limits the depth, so recursion is safe.
  mutating func value() -> TOMLValue {
    let node = nodes[next]
    next += 1
    return TOMLValue(
      content(of: node), at: TOMLPosition(line: Int(node.line), column: Int(node.column)))
  }

  private mutating func content(of node: CTOMLNode) -> TOMLContent {
    switch node.kind {
    case CTOMLKindTable:
      var entries: [TOMLEntry] = []
      for _ in 0..<node.children {
        let child = nodes[next]
        entries.append(
          TOMLEntry(
            key: text(child.key, child.keyLength),
            keyPosition: TOMLPosition(line: Int(child.keyLine), column: Int(child.keyColumn)),
            value: value()))
      }
      // The parser sorts by name; authors expect the order of the file.
      return .table(entries.sorted { $0.keyPosition < $1.keyPosition })
    case CTOMLKindArray:
      return .array((0..<node.children).map { _ in value() })
    case CTOMLKindString: return .string(text(node.text, node.textLength))
    case CTOMLKindInteger: return .integer(node.integer)
    case CTOMLKindFloat: return .float(node.number)
    case CTOMLKindBoolean: return .bool(node.integer != 0)
    case CTOMLKindMoment:
      let written = text(node.text, node.textLength)
      return Timestamp(iso8601: written).map { .moment($0) } ?? .localTime(written)
    default: return .localTime(text(node.text, node.textLength))
    }
  }

  private func text(_ start: UnsafePointer<CChar>?, _ length: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: length), as: UTF8.self)
  }
}
