import Diagnostics
import PaymentDatabase
import PaymentModel
import PaymentPrimitives
import ServerConfiguration

/// Checks the operator keys in the database of this machine.
enum KeyDoctor {
  private static let check = "operator_keys"

  static func finding(for app: AppIdentifier, _ configuration: ServerConfiguration, _ platform: Platform) async
    -> DoctorFinding
  {
    let unread = DoctorFinding.notApplicable(
      check, BilingualText("There is no database here: its keys are not checked.", "此处没有数据库：未检查密钥。"))
    if let file = configuration.database.file, platform.folders.size(file) == nil { return unread }
    let keys: [APIKey]
    do {
      let reader = try await OpenDatabase.reading(configuration, platform)
      keys = try await reader.payments.read { try $0.apiKeys(of: app) }
      await reader.close()
    } catch {
      return .notApplicable(
        check, BilingualText("The database cannot be read from here: its keys are not checked.", "无法读取数据库：未检查密钥。"))
    }
    return finding(for: keys, at: platform.dependencies.now())
  }

  static func finding(for keys: [APIKey], at now: Timestamp) -> DoctorFinding {
    let valid = keys.filter { $0.kind == .operator && $0.revokedAt == nil && !$0.isExpired(at: now) }
    let without = valid.filter { $0.role == nil }.map(\.id.text).joined(separator: ", ")
    guard without.isEmpty else {
      return .warned(
        check,
        BilingualText(
          "Operator keys without a role may do everything: \(without).", "以下运维密钥没有角色，拥有全部权限：\(without)。"),
        remedy: BilingualText(
          "Make keys with `counterfoil keys create --kind operator --role ROLE`, then revoke these.",
          "请用 `counterfoil keys create --kind operator --role ROLE` 新建密钥，然后吊销这些密钥。"))
    }
    return .passed(check, BilingualText("Each operator key has a role.", "每个运维密钥都有角色。"))
  }
}
