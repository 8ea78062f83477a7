import AppStoreIntegration
import AppStoreProtocol
import PaymentEngine
import PaymentPrimitives

// Apple's 401 gives no reason. Both App Stores accept the same key, so the comparison tells more than one answer.
extension AppStoreDoctor {
  private static let check = "app_store.authorization"

  /// Reports on each place.
  ///
  /// - Returns: the environments that accepted the key.
  mutating func checkAuthorization(_ replies: [Reply]) -> Set<AppStoreEnvironment> {
    let admitting = Set(replies.filter { $0.outcome.answer != nil }.map(\.place.environment))
    let refusing = Set(replies.filter { $0.outcome.error?.code == .notAuthorized }.map(\.place.environment))
    for reply in replies { findings.append(finding(reply, admitting, refusing: refusing)) }
    return admitting
  }

  private func finding(
    _ reply: Reply, _ admitting: Set<AppStoreEnvironment>, refusing: Set<AppStoreEnvironment>
  ) -> DoctorFinding {
    let place = reply.place
    switch reply.outcome {
    case .answered:
      return admitted(place)
    case .refused(let error) where error.code == .notAuthorized:
      if place.environment == .production, admitting.contains(.sandbox) { return unreleased(place) }
      if place.environment == .sandbox, admitting.contains(.production) { return sandboxAlone(place) }
      return keyRefused(place, byBoth: refusing.count == 2)
    case .refused(let error):
      return .failed(
        Self.check, error.code.meaning.followed(by: error.message), remedy: error.code.remedy, subject: place.name
      )
    case .unknown(.undecided(let error)):
      return .warned(
        Self.check, error.code.meaning.followed(by: error.message),
        remedy: BilingualText("Run it again in a minute.", "请一分钟后重试。"), subject: place.name)
    case .unknown:
      return .notApplicable(Self.check, BilingualText("Apple did not answer.", "Apple 没有应答。"), subject: place.name)
    }
  }

  private func admitted(_ place: Place) -> DoctorFinding {
    guard place.environment == .production, !settings.isReleased else {
      return .passed(
        Self.check,
        BilingualText(
          "Apple accepts our key: key, key id, issuer id and bundle id belong together.",
          "Apple 接受我们的密钥：密钥、key id、issuer id 与 bundle id 匹配。"), subject: place.name)
    }
    return .warned(
      Self.check,
      BilingualText(
        "Production accepts our key, but released = false keeps the server from using it there.",
        "正式环境已接受密钥，但 released = false 使服务器不查询正式环境。"),
      remedy: BilingualText(
        "Remove released = false from [app.app_store].", "请从 [app.app_store] 中删除 released = false。"),
      subject: place.name)
  }

  private func unreleased(_ place: Place) -> DoctorFinding {
    guard settings.isReleased else {
      return .notApplicable(
        Self.check,
        BilingualText(
          "Production does not know the app before its release, as released = false states.",
          "应用发布前正式环境没有该应用，与 released = false 一致。"), subject: place.name)
    }
    return .failed(
      Self.check,
      BilingualText(
        "Production refuses the key that the sandbox accepts: the app was never released.",
        "沙盒接受该密钥而正式环境拒绝：应用从未发布。"),
      remedy: BilingualText(
        "Set released = false in [app.app_store] until the app is in the App Store.",
        "在应用上架之前，请在 [app.app_store] 中设置 released = false。"), subject: place.name)
  }

  private func sandboxAlone(_ place: Place) -> DoctorFinding {
    .failed(
      Self.check,
      BilingualText(
        "The sandbox refuses the key that production accepts: key and ids are right.",
        "正式环境接受该密钥而沙盒拒绝：密钥与标识无误。"),
      remedy: BilingualText(
        "Run it again in an hour: the sandbox sometimes refuses valid keys for a while. If it continues, ask Apple.",
        "请一小时后重试：曾有沙盒暂时拒绝有效密钥的情况；如仍如此，请联系 Apple。"), subject: place.name)
  }

  private func keyRefused(_ place: Place, byBoth: Bool) -> DoctorFinding {
    if let ahead, ahead > Self.clockSlack || ahead < -Self.clockSlack {
      return .failed(
        Self.check,
        BilingualText(
          "Apple refuses our tokens: by Apple's clock, their time is wrong.", "Apple 拒绝我们的令牌：按其时钟，令牌时间不符。"),
        remedy: BilingualText(
          "Set the clock by NTP and run this again. Then compare key and ids.",
          "请先用 NTP 校准时钟再重试，之后再核对密钥与标识。"), subject: place.name)
    }
    let cause =
      byBoth
      ? BilingualText(
        "Both App Stores refuse the key, so a missing release is not the cause. The key, key id, issuer id or bundle "
          + "id is wrong, or the key was revoked.",
        "正式环境与沙盒均拒绝密钥，因此与是否发布无关：密钥、key id、issuer id 或 bundle id 有误，或密钥已被撤销。")
      : AppStoreServerErrorCode.notAuthorized.meaning
    return .failed(
      Self.check, cause,
      remedy: BilingualText(
        "Compare with App Store Connect (Users and Access, Integrations, In-App Purchase): \(settings.credentials). "
          + "The file is SubscriptionKey_<key id>.p8; AuthKey_….p8 is a key for something else.",
        "请与 App Store Connect 的“用户和访问 - 集成 - App 内购买项目”核对：\(settings.credentials)。文件应为 "
          + "SubscriptionKey_<key id>.p8；AuthKey_….p8 是其他用途的密钥。"), subject: place.name)
  }
}
