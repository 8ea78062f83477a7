import Counterfoil
import CounterfoilAPI
import CounterfoilTesting
import PaymentPrimitives
import Testing

/// One path of a purchase, which the tests kill at every job.
struct KillPath: Sendable, CustomTestStringConvertible {
  let name: String
  /// The setup of the world.
  var prepare: @Sendable (ClientWorld) -> Void = { _ in }
  /// The user who starts the app again after the kill; another one if users share a device.
  var userAfterKill: UserIdentifier = "anna"
  /// How long the app stays away after the kill.
  var awayAfterKill = TimeSpan.zero
  /// Starts of the app after the last kill until all must be well: one, unless a finish is lost.
  var starts = 1
  /// Where the customer pays.
  var store = Store.appStore
  /// Expected charges if the path is never killed.
  var charges = 1

  var testDescription: String { name }

  static let all: [KillPath] = [
    KillPath(name: "success"),
    KillPath(name: "success, and the app stays away for a minute", awayAfterKill: .minutes(1)),
    KillPath(
      name: "S1: killed after the password, the token is lost (1A.50, 1A.74, 1A.80)", prepare: { $0.store.loseTokens() }
    ),
    KillPath(
      name: "S1: the same, and the app stays away for a minute", prepare: { $0.store.loseTokens() },
      awayAfterKill: .minutes(1)),
    KillPath(
      name: "the sheet dies with the app (1A.74)", prepare: { $0.store.next(.buysIfAlive) },
      awayAfterKill: .minutes(1)),
    KillPath(
      name: "the answer to the order is lost twice",
      prepare: { $0.server.fault("create", .answerLost, .answerLost) }),
    KillPath(
      name: "S10: the answer to the submission is lost (1A.65)",
      prepare: { $0.server.fault("submit", .answerLost, .requestLost) }),
    KillPath(
      name: "S4: failed, then purchased without a token (1A.48, 1A.52)",
      prepare: { $0.store.next(.failsThenBuys(after: .seconds(12))) }),
    KillPath(
      name: "S5: charged, but failed; purchased later (1A.72, X11)",
      prepare: { $0.store.next(.chargesThenSaysFailed(after: .seconds(3))) }),
    KillPath(
      name: "S6: finish does not stick (1A.70)", prepare: { $0.store.finishDoesNotStick(times: 2) },
      starts: 3),
    KillPath(name: "S6: finish fails (1A.70)", prepare: { $0.store.finishFails(times: 2) }, starts: 3),
    KillPath(
      name: "S7, S20: another user signs in before verification", userAfterKill: "bert",
      awayAfterKill: .minutes(1)),
    KillPath(
      name: "S7, S2: the same, and the token is lost", prepare: { $0.store.loseTokens() },
      userAfterKill: "bert", awayAfterKill: .minutes(1)),
    KillPath(
      name: "S4, S7: failed; purchased without a token when another user has signed in",
      prepare: { $0.store.next(.failsThenBuys(after: .seconds(50))) },
      userAfterKill: "bert", awayAfterKill: .minutes(1)),
    KillPath(
      name: "the server knows only at the third asking (1A.63)",
      prepare: {
        let pending = PaymentAnswer(transaction: "1000", verdict: .pending)
        $0.server.judge("1000", pending, pending)
      }),
    KillPath(
      name: "the callback is lost; only the queue shows the charge (1A.46)",
      prepare: { $0.store.next(.buysSilently) }),
    KillPath(
      name: "Apple's notification is there first", prepare: { world in world.letAppleNotify() }),
    KillPath(name: "WeChat: paid, and WeChat says so (1A.3)", store: .weChatPay),
    KillPath(
      name: "WeChat: paid, and the callback is lost (1A.14, 1A.15.6)",
      prepare: { $0.weChat.next(.init(pays: .seconds(4), responds: nil)) }, awayAfterKill: .minutes(1),
      store: .weChatPay),
    KillPath(
      name: "WeChat: the answer to the order and to the parameters is lost",
      prepare: {
        $0.server.fault("create", .answerLost)
        $0.server.fault("prepare", .answerLost, .requestLost)
      }, store: .weChatPay),
    KillPath(
      name: "WeChat: the customer leaves, and pays in the cashier later (X18)",
      prepare: { $0.weChat.next(.init(pays: .minutes(8), responds: (.seconds(2), -2))) }, store: .weChatPay),
    KillPath(
      name: "WeChat: nobody pays",
      prepare: { $0.weChat.next(.init(pays: nil, responds: (.seconds(2), -2))) }, store: .weChatPay, charges: 0),
    KillPath(
      name: "WeChat, S20: another user signs in while WeChat is open", userAfterKill: "bert",
      awayAfterKill: .minutes(1), store: .weChatPay),
    KillPath(
      name: "the customer gives up (1A.43)", prepare: { $0.store.next(.cancels) }, charges: 0),
    KillPath(
      name: "Ask to Buy, approved after an hour (1A.45)",
      prepare: { $0.store.next(.isApproved(after: .hours(1))) }),
  ]
}
