import PaymentPrimitives
import Testing

/// A realistic mistake in a configuration or around it, and what refuses it.
struct BrokenConfiguration: Sendable, CustomTestStringConvertible {
  /// What is changed in a configuration that works.
  enum Fault: Sendable {
    /// Texts of the file with what takes their place; each must occur.
    case text([(from: String, to: String)])
    /// Another text in place of the file.
    case whole(String)
    /// Text at the end of the file.
    case added(String)
    /// A file that the configuration names has other bytes; nil if it is missing.
    case file(String, [UInt8]?)
    /// Everybody can read a file.
    case exposed(String)
    /// The machine refuses a port or a folder.
    case machine(RefusingMachine)
    /// A store judges it: the failed checks of `doctor`.
    case store(@Sendable () throws -> [String: (cause: String, remedy: String)])
  }

  /// What a machine does not allow.
  enum RefusingMachine: Sendable {
    case port
    /// Writing below that folder.
    case folder(String)
  }

  let number: Int
  let what: BilingualText
  /// The code of the refusal: an error code of `config check`, or a check of `doctor`.
  let code: String
  /// The setting that the refusal names; nil for the file as a whole, and for `doctor`.
  let setting: String?
  let fault: Fault

  var testDescription: String { "\(number): \(what.english)" }
  var isRefusedByDoctor: Bool { !code.hasPrefix("configuration_") }

  /// The row of `docs/reference/broken-configurations.md`.
  var row: String {
    let command = isRefusedByDoctor ? "doctor" : "config check"
    let place = setting.map { " at \($0)" } ?? ""
    let code = code.prefix { $0 != " " }
    return "| \(number) | \(what.english)<br>\(what.chinese) | \(command) | \(code)\(place) |"
  }
}
