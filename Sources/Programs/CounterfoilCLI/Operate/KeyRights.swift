import PaymentModel
import PaymentPrimitives
import StrictJSON

/// What the options of `keys create` give a key.
struct KeyRights {
  /// Longer than any key should live.
  private static let daysMax: Int64 = 3650

  let role: OperatorRole?
  let expiresAt: Timestamp?
  let mayCredit: Bool
  let mayGiveEntitlements: Bool
  let mayErase: Bool

  init(_ options: Options, _ kind: APIKey.Kind, at now: Timestamp) throws {
    role = try options.one("role").map { word in
      guard let role = OperatorRole(rawValue: word) else {
        throw UsageError("--role is one of \(OperatorRole.allCases.map(\.rawValue).joined(separator: ", ")).")
      }
      return role
    }
    mayCredit = options.has("may-credit")
    guard !mayCredit || kind == .secret else { throw UsageError("--may-credit is for --kind secret.") }
    mayGiveEntitlements = options.has("may-give-entitlements")
    guard !mayGiveEntitlements || kind == .secret else {
      throw UsageError("--may-give-entitlements is for --kind secret.")
    }
    mayErase = options.has("may-erase")
    guard !mayErase || kind == .secret else { throw UsageError("--may-erase is for --kind secret.") }
    guard role == nil || kind == .operator else { throw UsageError("--role is for --kind operator.") }
    expiresAt = try options.one("expires").map { word in
      guard let moment = Self.moment(word, at: now), moment > now else {
        throw UsageError("--expires is 1d to \(Self.daysMax)d, or a moment ahead such as 2027-01-31T00:00:00Z.")
      }
      return moment
    }
  }

  private static func moment(_ word: String, at now: Timestamp) -> Timestamp? {
    guard word.hasSuffix("d"), let days = Int64(word.dropLast()) else { return Timestamp(iso8601: word) }
    return (1...daysMax).contains(days) ? now + .days(days) : nil
  }
}

/// A key as `keys list` shows it.
enum KeyLine {
  static let withoutRole = BilingualText(
    "An operator key without a role may do everything. Make one with --role, and revoke the other.\n",
    "没有角色的运维密钥拥有全部权限。请用 --role 新建密钥，并吊销旧密钥。\n")

  static func json(_ key: APIKey) -> JSONValue {
    .members([
      ("id", .string(key.id.text)), ("app", .string(key.app.text)),
      ("kind", .string(key.kind.rawValue)), ("label", .string(key.label)),
      ("createdAt", .string(key.createdAt.iso8601)),
      ("revokedAt", key.revokedAt.map { .string($0.iso8601) }),
      ("role", key.role.map { .string($0.rawValue) }), ("expiresAt", key.expiresAt.map { .string($0.iso8601) }),
      ("usedAt", key.usedAt.map { .string($0.iso8601) }), ("mayCredit", key.mayCredit ? .bool(true) : nil),
      ("mayGiveEntitlements", key.mayGiveEntitlements ? .bool(true) : nil),
      ("mayErase", key.mayErase ? .bool(true) : nil),
    ])
  }

  static func text(_ key: APIKey, at now: Timestamp) -> String {
    var words = [key.id.text, key.app.text, key.kind.rawValue]
    if key.kind == .operator { words.append(key.role?.rawValue ?? "without a role") }
    if key.mayCredit { words.append("may credit") }
    if key.mayGiveEntitlements { words.append("may give entitlements") }
    if key.mayErase { words.append("may erase") }
    words += [key.createdAt.iso8601, key.label]
    if let moment = key.usedAt { words.append("used \(moment.iso8601)") }
    if let moment = key.expiresAt { words.append((moment <= now ? "expired " : "expires ") + moment.iso8601) }
    if let moment = key.revokedAt { words.append("revoked \(moment.iso8601)") }
    return TerminalText.line(words.filter { !$0.isEmpty }.joined(separator: "  "))
  }
}
