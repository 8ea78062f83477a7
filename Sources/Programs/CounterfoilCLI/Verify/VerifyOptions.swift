import AppStoreProtocol
import PaymentPrimitives

/// The arguments of `verify`.
struct VerifyOptions {
  static let names = CommandOptions(
    valued: ["bundle-id", "app-apple-id", "environment", "root", "issuer", "device"])

  var files: [String] = []
  var roots: [String] = []
  var issuers: [String] = []
  var device: [UInt8]?
  var expectations = SignedDataExpectations()
  var isHelp = false

  init(_ arguments: [String]) throws(UsageError) {
    var bundleId: String?
    var appAppleId: Int64?
    var environments: Set<StoreEnvironment> = []
    var rest = arguments[...]
    var isOver = false
    while let argument = rest.popFirst() {
      guard !isOver, argument.hasPrefix("-"), argument != "-" else {
        files.append(argument)
        continue
      }
      switch argument {
      case "--help", "-h": isHelp = true
      case "--json": break
      case "--": isOver = true
      case "--bundle-id": bundleId = try Self.value(argument, &rest)
      case "--app-apple-id":
        guard let number = Int64(try Self.value(argument, &rest)), number > 0 else {
          throw UsageError("--app-apple-id is the number of the app, not its bundle or team id")
        }
        appAppleId = number
      case "--environment": environments.insert(try Self.environment(Self.value(argument, &rest)))
      case "--root": roots.append(try Self.value(argument, &rest))
      case "--issuer": issuers.append(try Self.value(argument, &rest))
      case "--device": device = try Self.device(Self.value(argument, &rest))
      default: throw UsageError("unknown option \(argument)")
      }
    }
    if isHelp { return }
    guard !files.isEmpty else { throw UsageError("no file is named") }
    guard appAppleId == nil || bundleId != nil else {
      throw UsageError("--app-apple-id needs --bundle-id beside it")
    }
    expectations.apps = bundleId.map { [AppIdentity(bundleId: $0, appAppleId: appAppleId)] }
    expectations.environments = environments.isEmpty ? nil : environments
  }

  private static func value(
    _ option: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else {
      throw UsageError("\(option) needs a value")
    }
    return value
  }

  /// The bytes of a device's id; hyphens and colons, as in UUIDs and network addresses, are ignored.
  private static func device(_ text: String) throws(UsageError) -> [UInt8] {
    let digits = text.filter { $0 != "-" && $0 != ":" }.compactMap(\.hexDigitValue)
    let count = text.filter { $0 != "-" && $0 != ":" }.count
    guard digits.count == count, count == 32 || count == 12 else {
      throw UsageError("--device is 16 bytes, or 6 of a Mac, in hexadecimal")
    }
    return stride(from: 0, to: count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// An environment by this product's name or Apple's; upper and lower case are equal.
  private static func environment(_ text: String) throws(UsageError) -> StoreEnvironment {
    let found = StoreEnvironment.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
    guard let found else {
      let names = StoreEnvironment.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("\(text) is no environment; there are \(names)")
    }
    return found
  }
}
