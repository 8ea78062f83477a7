/// A kind of trouble that the seeds of worlds draw from. A world without one of them is drawn as if there were no such
/// thing: so whoever looks for the cause of a broken seed can take one after the other away.
package enum WorldHazard: String, CaseIterable, Hashable, Sendable {
  /// The configuration changes what a product gives, what it is called at the App Store, or drops it.
  case changedCatalog
  /// The configuration changes prices, and sells more.
  case changedPrices
  /// The configuration names a wrong kind for a product, and is put right again.
  case changedKinds
  /// Another app of the team sells on the same server, to the same Apple accounts.
  case secondApp
  /// The configuration gains the team's other app, drops it or retires it for a while.
  case appsComeAndGo
  /// Somebody hands in what is not theirs, broken, replayed, or of another app.
  case cheats
  /// Hundreds of requests come in a few seconds: garbage, forgeries, and genuine ones again and again.
  case floods
  /// Some worlds are at home in production, and testers buy in the sandbox of the same server.
  case sandbox
  /// What is owned comes again with the token of another order.
  case furtherTokens
  /// Refunds and their reversals are told about a further id.
  case furtherRefunds
  /// What is restored comes under further ids.
  case furtherRestores
  /// All parts of a refund have one date.
  case oneRefundDate
  /// A refund is told later than what undoes it.
  case lateRefunds
  /// What was refunded is bought again.
  case boughtAgain
  /// The same, under the first original id.
  case boughtAgainUnderOldOriginal
  /// An operator claims what was bought again for who bought it.
  case operatorClaims
  /// Half of the worlds run on SQLite.
  case sqlite
  /// The disk under the servers is full for some time.
  case fullDisk

  /// What worlds are drawn from unless a caller says otherwise.
  package static let usual = Set(allCases)
}

extension CoverageMark {
  /// What is seen only where worlds are drawn from more than the usual.
  package static let ofHazards: [WorldHazard: Set<CoverageMark>] = [
    .boughtAgain: [.boughtAgain], .boughtAgainUnderOldOriginal: [.boughtAgainUnderOldOriginal],
    .furtherRefunds: [.refundUnderFurtherId], .furtherRestores: [.restoredUnderFurtherId],
    .oneRefundDate: [.oneRefundDate], .sqlite: [.onSQLite], .fullDisk: [.diskFull],
    .changedKinds: [.kindChanged, .heldForItsKind], .secondApp: [.soldElsewhere],
    .operatorClaims: [.claimedByOperator, .claimedThenRefunded],
    .appsComeAndGo: [.appCame, .appDropped, .appRetired, .orderedFromNobody, .dropRefused], .cheats: [.cheatRefused],
    .floods: [.flooded, .floodRefused],
    .sandbox: [.atHomeInProduction, .soldInSandbox, .grantedInSandbox, .sandboxRefused],
  ]
}
