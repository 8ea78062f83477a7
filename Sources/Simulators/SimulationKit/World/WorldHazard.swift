/// A kind of fault that the seeds of worlds draw from. A world without one kind is drawn as if that kind did not
/// exist. So a developer can find the cause of a failing seed by removing one kind after the other.
package enum WorldHazard: String, CaseIterable, Hashable, Sendable {
  /// The configuration changes the grant or the App Store id of a product, or drops the product.
  case changedCatalog
  /// The configuration changes prices, and adds products.
  case changedPrices
  /// The configuration names a wrong kind for a product, and is corrected later.
  case changedKinds
  /// Another app of the team sells on the same server, to the same Apple accounts.
  case secondApp
  /// The configuration adds the team's other app, or drops or retires it for a while.
  case appsComeAndGo
  /// A user submits evidence that is not theirs, broken, replayed, or of another app.
  case cheats
  /// Hundreds of requests arrive in a few seconds: garbage, forgeries, and repeated genuine requests.
  case floods
  /// Some worlds have production as their home, and testers buy in the sandbox of the same server.
  case sandbox
  /// A product that is already owned comes again with the token of another order.
  case furtherTokens
  /// Refunds and their reversals are reported about a further transaction id.
  case furtherRefunds
  /// Restored purchases come under further transaction ids.
  case furtherRestores
  /// All parts of a refund have one date.
  case oneRefundDate
  /// A refund is reported later than its reversal.
  case lateRefunds
  /// A refunded product is bought again.
  case boughtAgain
  /// A refunded product is bought again under its first original id.
  case boughtAgainUnderOldOriginal
  /// An operator claims a repeat purchase for its buyer.
  case operatorClaims
  /// Half of the worlds run on SQLite.
  case sqlite
  /// The servers' disk is full for some time.
  case fullDisk
  /// The backend gives units without a payment.
  case credits
  /// The backend merges users.
  case merges
  /// The backend limits what users may spend in a month.
  case limits
  /// The backend gives entitlements without a payment.
  case promotions
  /// The backend erases a user.
  case erasures
  /// The server tells events.
  case events
  /// Operators press buttons in the console, twice, while servers are killed.
  case operators
  /// Customers complain at WeChat Pay, and operators answer, twice, while servers are killed.
  case complaints

  /// The default kinds of faults.
  package static let usual = Set(allCases)
}

extension CoverageMark {
  /// Coverage marks that only occur if the world draws from these hazards.
  package static let ofHazards: [WorldHazard: Set<CoverageMark>] = [
    .boughtAgain: [.boughtAgain], .boughtAgainUnderOldOriginal: [.boughtAgainUnderOldOriginal],
    .furtherRefunds: [.refundUnderFurtherId], .furtherRestores: [.restoredUnderFurtherId],
    .oneRefundDate: [.oneRefundDate], .sqlite: [.onSQLite], .fullDisk: [.diskFull],
    .changedKinds: [.kindChanged, .heldForItsKind], .secondApp: [.soldElsewhere],
    .credits: [.credited, .creditRefused], .events: [.eventsTold],
    .merges: [.merged], .limits: [.limitSet, .limitReached],
    .promotions: [.entitlementGiven, .entitlementRevoked], .erasures: [.erased],
    .operators: [.operatorPressed, .operatorRepeated, .operatorApproved, .operatorPressedClaim],
    .complaints: [.complained, .complainedAgain, .complaintAnswered],
    .operatorClaims: [.claimedByOperator, .claimedThenRefunded],
    .appsComeAndGo: [.appCame, .appDropped, .appRetired, .orderedFromNobody, .dropRefused], .cheats: [.cheatRefused],
    .floods: [.flooded, .floodRefused],
    .sandbox: [.atHomeInProduction, .soldInSandbox, .grantedInSandbox, .sandboxRefused],
  ]

  /// Marks that only several nodes over the modelled PostgreSQL can reach.
  package static let ofNodes: Set<CoverageMark> = [
    .nodeCutOff, .nodeHeld, .nodeKilledWithLease, .nodeGone, .commitFoundOut, .standbyAway, .primaryRestarted,
    .promoted, .promotedBesideOld,
  ]

  /// Marks that only phones with Apple's queues and Keychain can reach.
  package static let ofDevices: Set<CoverageMark> = [
    .interrupted, .interruptedForGood, .cancelledThoughCharged, .silentThoughCharged, .refusedByParent, .oddDevice,
    .evidenceSpoiled, .keychainFailed, .reinstalled,
  ]
}
