import AppStoreSimulator
import Counterfoil
import PaymentPrimitives

/// What a scenario looks at beside the server's books: the phone's queue and vault, and what the stores themselves
/// know.
extension ScenarioPlay {
  /// What the app and its payment queue have said to each other, in order.
  func talk(on number: Int = 0) -> [ScenarioTalk] { handset(number).talk }

  /// Whether the app asked the queue for what is unfinished before its last payment, after all else that it did then,
  /// and was told that there is nothing.
  func foundNothingBeforePaying(on number: Int = 0) -> Bool {
    let talk = talk(on: number)
    guard let payment = talk.lastIndex(where: { if case .pays = $0 { true } else { false } }) else { return false }
    let before = talk[..<payment].last { if case .shows = $0 { false } else { true } }
    return before == .enumerates(0)
  }

  /// How often the app has asked its queue so far, if it was told each time that there is nothing; nil otherwise.
  func emptyAnswers(on number: Int = 0) -> Int? {
    let answers = talk(on: number).compactMap { if case .enumerates(let count) = $0 { count } else { nil } }
    return answers.allSatisfy { $0 == 0 } ? answers.count : nil
  }

  /// Whether the queue has shown the app nothing, ever.
  func heardNothing(on number: Int = 0) -> Bool {
    !talk(on: number).contains { if case .shows = $0 { true } else { false } }
  }

  /// How far the payment of the only order is that the app's vault holds; nil when it holds none, or more.
  func phaseInVault(on number: Int = 0) async throws -> OrderRecord.Phase? {
    let items = try await phone(number).handset.vaultContents().items
    let records = items.compactMap { if case .order(let record) = $0 { record } else { nil } }
    guard records.count == 1, case .placed(_, let phase) = records[0].state else { return nil }
    return phase
  }

  /// Whether Apple has been told that the phone is done with every transaction.
  func isQueueEmpty(on number: Int = 0) async throws -> Bool {
    let setting = handset(number).setting
    return try await atApple { try await $0.unfinishedTransactions(of: setting.owner, for: setting.identifier) }
      .isEmpty
  }

  /// Somebody buys, and something is looked at while the sheet is before him.
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
    _ = await stage.wait(for: letter, atMost: .minutes(4))
  }

  /// Somebody buys through WeChat Pay, and is looked at after so long, still before the app's answer or after it.
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
    _ = await stage.wait(for: letter, atMost: .minutes(4))
  }
}
