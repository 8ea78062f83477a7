package import PaymentPrimitives

/// What values a setting takes, and how one is read from a file, a flag or an environment variable.
package struct SettingForm<Value> {
  /// What is wrong with a value; `position` only where it is narrower than the whole value.
  struct Mismatch: Error {
    let code: ConfigurationErrorCode
    let details: String
    var position: TOMLPosition?
  }

  /// What is wanted, for an error's reader: "a whole number from 1 to 10".
  let wanted: String
  /// Reads a value that stands in a file; an empty list of mismatches is never thrown.
  let read: (TOMLValue) throws(Mismatches) -> Value
  /// The TOML value that a text from a flag or variable means; nil when it means none, or when the setting cannot come
  /// so.
  let value: (String) -> TOMLContent?

  /// All that is wrong with one value, which may be a list of many.
  struct Mismatches: Error {
    let all: [Mismatch]

    init(_ all: [Mismatch]) { self.all = all }

    init(_ code: ConfigurationErrorCode, _ details: String) {
      self.all = [Mismatch(code: code, details: details)]
    }
  }

  /// A form that takes what another takes and makes something else of it.
  ///
  /// - Parameters:
  ///   - wanted: what is wanted, for an error's reader, with its article: "an ISO 4217 currency code".
  ///   - transform: nil refuses the value as malformed.
  package func mapped<Other>(
    _ wanted: String, _ transform: @escaping (Value) -> Other?
  ) -> SettingForm<Other> {
    let read = self.read
    return SettingForm<Other>(
      wanted: wanted,
      read: { value throws(SettingForm<Other>.Mismatches) in
        let plain: Value
        do throws(Mismatches) {
          plain = try read(value)
        } catch {
          throw SettingForm<Other>.Mismatches(
            error.all.map { .init(code: $0.code, details: $0.details, position: $0.position) })
        }
        guard let other = transform(plain) else {
          throw SettingForm<Other>.Mismatches(.malformed, "It must be \(wanted).")
        }
        return other
      },
      value: value)
  }

  fileprivate static func wrongType(_ value: TOMLValue, _ wanted: String) -> Mismatches {
    Mismatches(.wrongType, "It must be \(wanted); this is \(value.content.kind).")
  }
}

extension SettingForm where Value == String {
  /// A text of so many bytes of UTF-8; the value is never quoted in an error.
  package static func string(bytes: ClosedRange<Int> = 1...1024) -> SettingForm {
    SettingForm(
      wanted: "a text",
      read: { value throws(Mismatches) in
        guard case .string(let text) = value.content else { throw wrongType(value, "a text") }
        guard bytes.contains(text.utf8.count) else {
          throw Mismatches(
            .outOfRange,
            "It has \(text.utf8.count) bytes; \(bytes.lowerBound) to \(bytes.upperBound) are allowed.")
        }
        return text
      },
      value: { .string($0) })
  }
}

extension SettingForm where Value == Int64 {
  /// A whole number within the range, its ends included.
  package static func integer(in range: ClosedRange<Int64>) -> SettingForm {
    let wanted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return SettingForm(
      wanted: wanted,
      read: { value throws(Mismatches) in
        guard case .integer(let number) = value.content else { throw wrongType(value, wanted) }
        guard range.contains(number) else {
          throw Mismatches(.outOfRange, "It must be \(wanted); this is \(number).")
        }
        return number
      },
      value: { text in Int64(text).map { .integer($0) } })
  }
}

extension SettingForm where Value == Bool {
  /// `true` or `false`.
  package static var bool: SettingForm {
    SettingForm(
      wanted: "true or false",
      read: { value throws(Mismatches) in
        guard case .bool(let truth) = value.content else { throw wrongType(value, "true or false") }
        return truth
      },
      value: { $0 == "true" ? .bool(true) : $0 == "false" ? .bool(false) : nil })
  }
}

extension SettingForm where Value == Timestamp {
  /// A date and time with an offset from UTC, as TOML and RFC 3339 write it.
  package static var moment: SettingForm<Timestamp> {
    let wanted = "a date and time with its offset from UTC"
    return SettingForm(
      wanted: wanted,
      read: { value throws(Mismatches) in
        switch value.content {
        case .moment(let moment): return moment
        case .localTime: throw Mismatches(.withoutOffset, "It must be \(wanted).")
        default: throw wrongType(value, wanted)
        }
      },
      value: { text in Timestamp(iso8601: text).map { .moment($0) } })
  }
}

extension SettingForm where Value: RawRepresentable<String> & CaseIterable {
  /// One of the words that are the raw values of an enumeration.
  package static var word: SettingForm {
    let words = Value.allCases.map(\.rawValue)
    let wanted = "one of " + words.map { "\"\($0)\"" }.joined(separator: ", ")
    return SettingForm(
      wanted: wanted,
      read: { value throws(Mismatches) in
        guard case .string(let text) = value.content else { throw wrongType(value, wanted) }
        guard let known = Value(rawValue: text) else {
          let nearest = NearestName.of(text, among: words).map { " Is \"\($0)\" meant?" } ?? ""
          throw Mismatches(.notOneOf, "It must be \(wanted)." + nearest)
        }
        return known
      },
      value: { .string($0) })
  }
}

extension SettingForm {
  /// A list of values of one form; every item that does not fit is a problem of its own.
  package static func list<Item>(
    of item: SettingForm<Item>, count: ClosedRange<Int> = 0...1000
  ) -> SettingForm where Value == [Item] {
    SettingForm(
      wanted: "a list, each item \(item.wanted)",
      read: { value throws(Mismatches) in
        guard case .array(let items) = value.content else {
          throw wrongType(value, "a list, each item \(item.wanted)")
        }
        guard count.contains(items.count) else {
          throw Mismatches(
            .outOfRange,
            "It has \(items.count) items; \(count.lowerBound) to \(count.upperBound) are allowed.")
        }
        var read: [Item] = []
        var wrong: [Mismatch] = []
        for candidate in items {
          do throws(SettingForm<Item>.Mismatches) {
            read.append(try item.read(candidate))
          } catch {
            wrong += error.all.map {
              Mismatch(
                code: $0.code, details: $0.details, position: $0.position ?? candidate.position)
            }
          }
        }
        guard wrong.isEmpty else { throw Mismatches(wrong) }
        return read
      },
      value: { _ in nil })
  }
}
