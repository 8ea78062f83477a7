import AppStoreSimulator
import Counterfoil
import PaymentPrimitives

/// Checks outside the server's database: the phone's queue and vault, and the stores' own data.
extension ScenarioPlay {
  /// The messages between the app and its payment queue, in order.
  func talk(on number: Int = 0) -> [ScenarioTalk] { handset(number).talk }

  /// Whether the app's last action before its last payment was to ask the queue for unfinished transactions, and the
  /// answer was empty.
  func foundNothingBeforePaying(on number: Int = 0) -> Bool {
    let talk = talk(on: number)
    guard let payment = talk.lastIndex(where: { if case .pays = $0 { true } else { false } }) else { return false }
    let before = talk[..<payment].last { if case .shows = $0 { false } else { true } }
    return before == .enumerates(0)
  }

  /// How often the app has asked its queue so far, if every answer was empty; nil otherwise.
  func emptyAnswers(on number: Int = 0) -> Int? {
    let answers = talk(on: number).compactMap { if case .enumerates(let count) = $0 { count } else { nil } }
    return answers.allSatisfy { $0 == 0 } ? answers.count : nil
  }

  /// Whether the queue has never shown the app a transaction.
  func heardNothing(on number: Int = 0) -> Bool {
    !talk(on: number).contains { if case .shows = $0 { true } else { false } }
  }

  /// The payment phase of the only order in the app's vault; nil if it holds none, or more than one.
  func phaseInVault(on number: Int = 0) async throws -> OrderRecord.Phase? {
    let items = try await phone(number).handset.vaultContents().items
    let records = items.compactMap { if case .order(let record) = $0 { record } else { nil } }
    guard records.count == 1, case .placed(_, let phase) = records[0].state else { return nil }
    return phase
  }

  /// Whether every transaction is finished at Apple.
  func isQueueEmpty(on number: Int = 0) async throws -> Bool {
    let setting = handset(number).setting
    return try await atApple { try await $0.unfinishedTransactions(of: setting.owner, for: setting.identifier) }
      .isEmpty
  }

  /// Buys, and runs a check while the payment sheet is open.
  func buy(
    _ product: ProductIdentifier, on number: Int = 0, whileTheSheetIsOpen look: () async throws -> Void
  ) async throws {
    let before = talk(on: number).count
    let letter = NetworkMessage<Bool>()
    director { [self] in
      await phone(number).buy(product, 1, patience: .minutes(3))
      letter.answer(true)
    }
    for _ in 0..<600 {
      if talk(on: number).dropFirst(before).contains(where: { if case .pays = $0 { true } else { false } }) { break }
      try await pass(.milliseconds(100))
    }
    try await pass(.milliseconds(100))
    try await look()
    _ = await context.wait(for: letter, atMost: .minutes(4))
  }

  /// Buys through WeChat Pay, and runs a check after a time span; the app may have answered by then or not.
  func buyOnAndroid(
    _ product: ProductIdentifier, on number: Int = 0, after span: TimeSpan, look: () async throws -> Void
  ) async throws {
    let letter = NetworkMessage<Bool>()
    director { [self] in
      await phone(number).buy(product, 1, patience: .minutes(3))
      letter.answer(true)
    }
    try await pass(span)
    try await look()
    _ = await context.wait(for: letter, atMost: .minutes(4))
  }
}
