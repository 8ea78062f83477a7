import AppStoreProtocol
import AppStoreSimulator
import HTTPMessages
import PaymentModel
import PaymentPrimitives
import StrictJSON

// A user of the app without purchases submits signed evidence of other users, modifies it, replays it, and forges
// Apple's messages.

extension Workload {
  static let cheat: UserIdentifier = "mallory"
  private static let device = AppStoreUUID(OrderIdentifier(high: 0x4000_0000_0000_0666, low: 1 << 63 | 0x666))

  private enum Trick: CaseIterable {
    case othersEvidence, evidenceOfNoDevice, broken, otherApp, oldNotification, otherAppsNotification,
      brokenNotification
  }

  func cheat() async throws {
    var chance = SeededChance(seed: context.seed, purpose: "cheats")
    for _ in 0..<context.plan.crowd.cheats {
      try await context.sleep(.seconds(Int64(5 + chance.number(below: 120))))
      guard let trick = chance.pick(Trick.allCases) else { return }
      for _ in 0..<context.plan.crowd.repeats { try await play(trick, &chance) }
    }
  }

  private func play(_ trick: Trick, _ chance: inout SeededChance) async throws {
    let all = try await appStore.insist { await $0.transactions() }
    let own = all.filter { $0.owner.bundleId == WorldShop.bundleId }
    switch trick {
    case .othersEvidence:
      guard let id = chance.pick(own)?.id, let phone = chance.pick(phones) else { return }
      let device = phone.handset.identifier
      let signed = try await appStore.insist { try await $0.signedTransaction(id, for: device) }
      try await handIn(signed.signedTransaction, trick)
    case .evidenceOfNoDevice:
      guard let id = chance.pick(own)?.id else { return }
      try await handIn(try await appStore.insist { try await $0.signedTransaction(id) }.signedTransaction, trick)
    case .broken:
      guard let id = chance.pick(own)?.id else { return }
      let signed = try await appStore.insist { try await $0.signedTransaction(id, for: Self.device) }.signedTransaction
      try await handIn(chance.breaking(signed), trick)
    case .otherApp:
      guard let id = chance.pick(all.filter { $0.owner.bundleId == OtherShop.bundleId })?.id else { return }
      let signed = try await appStore.insist { try await $0.signedTransaction(id, for: Self.device) }
      try await handIn(signed.signedTransaction, trick)
    case .oldNotification, .otherAppsNotification, .brokenNotification: try await say(trick, &chance)
    }
  }

  private func say(_ trick: Trick, _ chance: inout SeededChance) async throws {
    let told = try await appStore.insist { await $0.notifications() }
    let isOthers = trick == .otherAppsNotification
    let bundleId = isOthers ? OtherShop.bundleId : WorldShop.bundleId
    guard let uuid = chance.pick(told.filter { $0.facts.bundleId == bundleId })?.facts.uuid else { return }
    var signed = try await appStore.insist { store in
      isOthers
        ? try await store.signedPayload(of: uuid, naming: WorldShop.bundleId) : try await store.signedPayload(of: uuid)
    }
    if trick == .brokenNotification { signed = chance.breaking(signed) }
    let body = JSONValue.members([("signedPayload", .string(signed))])
    try await send("/notifications/app-store", body, trick: trick)
  }

  private func handIn(_ evidence: String, _ trick: Trick) async throws {
    let body = JSONValue.members([
      ("evidence", .string(evidence)), ("deviceVerificationId", .string(Self.device.text)), ("restore", .bool(true)),
    ])
    try await send("/v1/payments/app-store", body, trick: trick)
  }

  private func send(_ path: String, _ body: JSONValue, trick: Trick) async throws {
    let token = WorldShop.userToken(for: Self.cheat, at: context.world.now)
    let request = HTTPRequest(
      "POST", WorldShop.serverURL + path,
      fields: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"], body: body.bytes)
    let answer = try? await context.exchange(from: .phone(91), to: .server).send(request, .seconds(20))
    context.events.record(
      Self.cheat.text, "tries \(trick): \(answer.map { "\($0.status)" } ?? "no answer")",
      mark: answer.map { _ in .cheatRefused })
  }
}

extension SeededChance {
  /// A signed text with one other character in its payload or signature.
  package mutating func breaking(_ signed: String) -> String {
    var bytes = Array(signed.utf8)
    let dot = UInt8(ascii: ".")
    let first = bytes.firstIndex(of: dot) ?? 0
    var place = first + 1 + number(below: bytes.count - first - 2)
    // Without its dot the text would be of another form; the character after it belongs to the signature.
    if bytes[place] == dot { place += 1 }
    bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    return String(decoding: bytes, as: UTF8.self)
  }
}
