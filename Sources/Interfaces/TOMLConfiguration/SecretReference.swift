package import PaymentPrimitives

/// The place of a secret. The configuration names the place and never holds the secret: `{ file = "/run/secrets/key"
/// }`, `{ credential = "name" }` or `{ environment = "NAME" }`.
package enum SecretReference: Hashable, Sendable {
  /// In a file, by its path.
  case file(String)
  /// In a file that the service manager provides, by its name in the folder that `CREDENTIALS_DIRECTORY` names.
  case credential(String)
  /// In an environment variable, by its name.
  case environment(String)
}

/// The sources of secrets, passed in by the program.
package struct SecretSources: Sendable {
  /// The bytes of a file; throws if it cannot be read or has more than `bytesMax` bytes.
  package var readFile: @Sendable (_ path: String, _ bytesMax: Int) throws -> [UInt8]
  /// The value of an environment variable; nil if there is none.
  package var environment: @Sendable (_ name: String) -> String?
  /// Whether users other than the owner and its group can read a file.
  package var isReadableByOthers: @Sendable (_ path: String) -> Bool = { _ in false }

  package init(
    readFile: @escaping @Sendable (_ path: String, _ bytesMax: Int) throws -> [UInt8],
    environment: @escaping @Sendable (_ name: String) -> String?
  ) {
    self.readFile = readFile
    self.environment = environment
  }
}

extension SecretReference {
  /// More bytes than any key or certificate chain needs.
  package static let bytesMax = 64 << 10

  /// The secret's bytes, without the one line break that editors and `echo` leave at the end.
  ///
  /// - Throws: `secretUnreadable`, `secretExposed` or `secretEmpty`, naming the place and never the contents.
  package func resolve(
    _ sources: SecretSources
  ) throws(CodedError<ConfigurationErrorCode>) -> [UInt8] {
    var bytes: [UInt8]
    switch self {
    case .file(let path): bytes = try Self.read(path, sources)
    case .credential(let name):
      // The name of the variable is systemd's.
      guard let folder = sources.environment("CREDENTIALS_DIRECTORY"), folder.hasPrefix("/") else {
        throw CodedError(
          .secretUnreadable,
          "Credential \(name): no service manager provides it. The unit needs LoadCredential=\(name):/path/of/the/file"
        )
      }
      bytes = try Self.read(folder + "/" + name, sources)
    case .environment(let name):
      guard let value = sources.environment(name) else {
        throw CodedError(.secretUnreadable, "There is no environment variable \(name).")
      }
      bytes = Array(value.utf8)
    }
    if bytes.last == 0x0A { bytes.removeLast() }
    if bytes.last == 0x0D { bytes.removeLast() }
    guard !bytes.isEmpty else { throw CodedError(.secretEmpty, place) }
    return bytes
  }

  /// Names a file that others can read, and the command that corrects it.
  package static func exposure(of path: String) -> String { "File \(path). Correct it: chmod o-rwx \(path)" }

  private static func read(
    _ path: String, _ sources: SecretSources
  ) throws(CodedError<ConfigurationErrorCode>) -> [UInt8] {
    let bytes: [UInt8]
    do {
      bytes = try sources.readFile(path, bytesMax)
    } catch {
      throw CodedError(.secretUnreadable, "File \(path): \(error)")
    }
    guard bytes.count <= bytesMax else {
      throw CodedError(.secretUnreadable, "File \(path) has more than \(bytesMax) bytes.")
    }
    guard !sources.isReadableByOthers(path) else { throw CodedError(.secretExposed, exposure(of: path)) }
    return bytes
  }

  private var place: String {
    switch self {
    case .credential(let name): "Credential \(name)."
    case .file(let path): "File \(path)."
    case .environment(let name): "Environment variable \(name)."
    }
  }
}

extension SettingForm where Value == SecretReference {
  /// The place of a secret. Only the file may set it: a flag or variable would hold the secret itself.
  package static var secret: SettingForm {
    let wanted = #"{ file = "path" }, { credential = "name" } or { environment = "NAME" }"#
    return SettingForm(
      wanted: wanted, shape: .secret,
      read: { value throws(Mismatches) in
        guard case .table(let entries) = value.content else {
          // The value here was probably the secret itself, so the error does not quote it.
          throw Mismatches(.secretInline, "It must be \(wanted).")
        }
        guard entries.count == 1, let entry = entries.first,
          case .string(let text) = entry.value.content, !text.isEmpty
        else { throw Mismatches(.malformed, "It must be \(wanted), one of the three.") }
        switch entry.key {
        case "file": return .file(text)
        case "credential":
          guard isCredentialName(text) else {
            throw Mismatches(
              .malformed,
              "A credential's name has at most 64 letters, digits, `.`, `_` and `-`, and begins with none of the last.")
          }
          return .credential(text)
        case "environment":
          guard isVariableName(text) else {
            throw Mismatches(
              .malformed, "An environment variable's name has capitals, digits and `_` only.")
          }
          return .environment(text)
        default: throw Mismatches(.malformed, "It must be \(wanted).")
        }
      },
      value: { _ in nil })
  }

  /// The name of a file in a folder, never a path out of it.
  private static func isCredentialName(_ text: String) -> Bool {
    text.utf8.count <= 64 && text.first != "." && text.first != "-"
      && text.utf8.allSatisfy { byte in
        (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
          || [0x2E, 0x5F, 0x2D].contains(byte)
      }
  }

  /// Only capitals, although systems allow more: a secret written in place of the name must not pass, because errors
  /// show the variable's name.
  private static func isVariableName(_ text: String) -> Bool {
    text.utf8.count <= 128 && text.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
      && text.utf8.allSatisfy { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
  }
}
