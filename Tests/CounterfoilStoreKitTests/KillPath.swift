import AppStoreSimulator
import PaymentPrimitives
import SimulatedDevice
import SimulatorCore
import Testing

/// One course of a purchase through an adapter. The test kills the app at every job on it.
struct KillPath: Sendable, CustomTestStringConvertible {
  let name: String
  /// Sets up phone and store.
  var prepare: @Sendable (Phone, ClientFixture) throws -> Void = { _, _ in }
  /// What happens to the phone after the kill, while the app is away.
  var afterKill: @Sendable (Phone, ClientFixture) -> Void = { _, _ in }
  /// Who starts the app again.
  var userAfterKill: UserIdentifier = "anna"
  /// The number of app starts after which everything must be right.
  var starts = 1

  var testDescription: String { name }

  static let all: [KillPath] = [
    KillPath(name: "success"),
    KillPath(
      name: "S1, S2: the token is lost (1A.50, 1A.80)",
      prepare: { _, world in try world.atApple { try await $0.setBehaviour(.loseTokens, to: 1) } }),
    KillPath(
      name: "S4: interrupted, accepted after 20 s (1A.52)",
      prepare: { phone, _ in
        phone.device.account.switches.hasNewTerms = true
        phone.device.nextAnswers(.acceptsTerms(after: .seconds(20)))
      }, starts: 2),
    KillPath(
      name: "S5: charged, but failed (1A.72)",
      prepare: { phone, _ in phone.device.nextAnswers(.paysAndConnectionBreaks) }, starts: 2),
    KillPath(
      name: "cancelled, but charged (SK2-5)",
      prepare: { phone, _ in phone.device.nextAnswers(.paysAndSeemsToCancel) }, starts: 2),
    KillPath(
      name: "S6: finish does not stick (1A.70)",
      prepare: { _, world in try world.atApple { try await $0.setBehaviour(.loseFinishes, to: 2) } }, starts: 4),
    KillPath(name: "S7, S20: another user signs in (1A.36)", userAfterKill: "bert"),
    KillPath(
      name: "S7, S2: another user signs in, and the token is lost",
      prepare: { _, world in try world.atApple { try await $0.setBehaviour(.loseTokens, to: 1) } },
      userAfterKill: "bert"),
    KillPath(name: "S19: reinstalled (1A.30)", afterKill: { phone, _ in phone.device.uninstall() }),
    KillPath(
      name: "S15: Ask to Buy, approved while the app is away (1A.45)",
      prepare: { phone, _ in phone.device.account.switches.asksToBuy = true },
      afterKill: { phone, world in
        world.goOn(for: .hours(2))
        while phone.device.account.answerApproval(true) {}
      }),
    KillPath(
      name: "the callback is lost (1A.46)", prepare: { phone, _ in phone.device.behaviours.losesCallbacks = true }),
    KillPath(
      name: "the customer gives up (1A.43)",
      prepare: { phone, _ in phone.device.nextAnswers(.cancels(after: .seconds(3))) }),
  ]
}
