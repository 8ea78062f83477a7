package import PaymentPrimitives

/// The values that a setting accepts, and how one is read from a file, a flag or an environment variable.
package struct SettingForm<Value> {
  /// What is wrong with a value; `position` only if it is narrower than the whole value.
  struct Mismatch: Error {
    let code: ConfigurationErrorCode
    let details: String
    var position: TOMLPosition?
  }

  /// The expected value, for the reader of an error: "a whole number from 1 to 10".
  let wanted: String
  /// The kind of value with its bounds, for a reference.
  let shape: SettingShape
  /// Reads a value from a file; an empty list of mismatches is never thrown.
  let read: (TOMLValue) throws(Mismatches) -> Value
  /// The TOML value of a text from a flag or variable; nil if the text is invalid, or if the setting has no such form.
  let value: (String) -> TOMLContent?

  /// All mismatches of one value, which may be a list of many.
  struct Mismatches: Error {
    let all: [Mismatch]

    init(_ all: [Mismatch]) { self.all = all }

    init(_ code: ConfigurationErrorCode, _ details: String) {
      self.all = [Mismatch(code: code, details: details)]
    }
  }

  /// A form that reads like another one and converts the result.
  ///
  /// - Parameters:
  ///   - wanted: the expected value, for the reader of an error, with its article: "an ISO 4217 currency code".
  ///   - transform: returns nil for a malformed value.
  package func mapped<Other>(
    _ wanted: String, _ transform: @escaping (Value) -> Other?
  ) -> SettingForm<Other> {
    let read = self.read
    return SettingForm<Other>(
      wanted: wanted, shape: shape,
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
  /// A text with a length in bytes of UTF-8; an error never quotes the value.
  package static func string(bytes: ClosedRange<Int> = 1...1024) -> SettingForm {
    SettingForm(
      wanted: "a text", shape: .text(bytes: bytes),
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
  /// A whole number within the range, including its ends.
  package static func integer(in range: ClosedRange<Int64>) -> SettingForm {
    let wanted = "a whole number from \(range.lowerBound) to \(range.upperBound)"
    return SettingForm(
      wanted: wanted, shape: .integer(range),
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

extension SettingForm where Value == Double {
  /// A number within the range, including its ends; a whole one needs no fraction.
  package static func decimal(in range: ClosedRange<Double>) -> SettingForm {
    let wanted = "a number from \(range.lowerBound) to \(range.upperBound)"
    return SettingForm(
      wanted: wanted, shape: .decimal(range),
      read: { value throws(Mismatches) in
        let number: Double
        switch value.content {
        case .integer(let whole): number = Double(whole)
        case .float(let fraction): number = fraction
        default: throw wrongType(value, wanted)
        }
        // NaN, which TOML has, is in no range.
        guard range.contains(number) else { throw Mismatches(.outOfRange, "It must be \(wanted).") }
        return number
      },
      value: { text in Double(text).map { .float($0) } })
  }
}

extension SettingForm where Value == Bool {
  /// `true` or `false`.
  package static var bool: SettingForm {
    SettingForm(
      wanted: "true or false", shape: .bool,
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
      wanted: wanted, shape: .moment,
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
  /// One of the raw values of an enumeration.
  package static var word: SettingForm {
    let words = Value.allCases.map(\.rawValue)
    let wanted = "one of " + words.map { "\"\($0)\"" }.joined(separator: ", ")
    return SettingForm(
      wanted: wanted, shape: .word(words),
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
  /// A list of values of one form; every invalid item is a separate problem.
  package static func list<Item>(
    of item: SettingForm<Item>, count: ClosedRange<Int> = 0...1000
  ) -> SettingForm where Value == [Item] {
    SettingForm(
      wanted: "a list, each item \(item.wanted)", shape: .list(item.shape, count: count),
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
