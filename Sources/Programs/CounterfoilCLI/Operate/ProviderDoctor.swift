import Diagnostics
import PaymentPrimitives
import PaymentServer
import ServerConfiguration

/// Checks that the public keys of operators' identity provider can be read.
enum ProviderDoctor {
  private static let check = "console.proxy"

  static func finding(_ configuration: ServerConfiguration, _ platform: Platform) async -> DoctorFinding {
    guard let provider = configuration.console?.provider else {
      return .notApplicable(check, BilingualText("There is no [console.proxy].", "未配置 [console.proxy]。"))
    }
    do {
      let read = try ProviderKeySource.reader(of: provider.keys, on: platform)
      let keys = try JSONWebKeySet(try await read())
      return .passed(
        check,
        BilingualText(
          "The public keys of \(provider.issuer) were read: \(keys.count).",
          "已读取 \(provider.issuer) 的 \(keys.count) 个公钥。"))
    } catch {
      return .failed(
        check,
        BilingualText(
          "The public keys of \(provider.issuer) cannot be read: \(error).",
          "无法读取 \(provider.issuer) 的公钥：\(error)。"),
        remedy: BilingualText(
          "Correct keys_file or keys_url in [console.proxy]: it must be the JWKS of the provider.",
          "请更正 [console.proxy] 中的 keys_file 或 keys_url：应为身份提供商的 JWKS。"))
    }
  }
}
