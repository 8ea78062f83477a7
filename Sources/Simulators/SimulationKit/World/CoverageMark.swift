/// A situation that the simulation should reach. If no world of many shows it, the worlds are too easy to prove
/// anything.
package enum CoverageMark: String, CaseIterable, Sendable {
  /// A server was killed between the call and the start of one of its transactions.
  case serverKilledBeforeCommit
  /// A server was killed after a commit and before anyone learned of it.
  case serverKilledAfterCommit
  /// The outcome of a commit was lost, and the data had been written.
  case commitUnknownButWritten
  /// The outcome of a commit was lost, and nothing had been written.
  case commitUnknownNotWritten
  case storeBusy
  /// A transaction ran again after a conflict.
  case storeConflict
  /// The simulated App Store was killed.
  case appStoreKilled
  /// A kill left an incomplete record in the App Store's log.
  case logTorn
  case backendKilled
  case appKilled
  /// An app was killed while its payment sheet was open.
  case appKilledDuringSheet
  /// An app was killed between the charge and the server's verdict.
  case appKilledAfterCharge
  /// A request never arrived.
  case requestLost
  /// An answer never arrived.
  case answerLost
  case requestDoubled
  /// Two places could not reach each other for a while.
  case partition
  /// The server learned of a payment from a notification before the phone reported it.
  case notificationFirst
  /// The server learned of a payment from the phone first.
  case clientFirst
  /// The same evidence was submitted more than once.
  case duplicateSubmission
  /// A payment found its order by its token.
  case matchedExact
  /// A payment found its order by the vault's records.
  case matchedPresented
  /// A payment found its order because the user had an order that fits.
  case matchedInferred
  /// An order was made for a payment.
  case matchedDerived
  /// A payment paid an order that had been closed.
  case paidLate
  /// A payment is held for an operator.
  case held
  /// A payment without a token was granted to another user of the same Apple account, after a valid claim.
  case claimedOnSharedAccount
  case tokenLost
  /// The charge was made, and the App Store's answer was lost.
  case purchaseAnswerLost
  /// The App Store reported a failure although it had charged.
  case failedThoughCharged
  case approvedLater
  case customerCancelled
  case vaultLost
  /// The user changed while a purchase was open.
  case userSwitched
  /// Two phones shared one Apple account.
  case accountShared
  /// The App Store delivered an earlier purchase instead of selling another one.
  case unfinishedDelivered
  /// A product that the account already owned was bought again under another transaction id.
  case ownedAgain
  /// A payment was reversed after its grant.
  case reversed
  /// A payment was revoked before its grant.
  case revokedBeforeGrant
  /// The backend had booked a delivery, and its answer was lost or an error.
  case bookedButNotAcknowledged
  /// A repeated delivery was dropped.
  case deliveryDropped
  case onSQLite
  /// A transaction ran while the disk was full.
  case diskFull
  /// The app's configuration changed while users bought.
  case catalogChanged
  /// A running server took over another configuration.
  case catalogReloaded
  /// The configuration named a wrong kind for a product.
  case kindChanged
  /// A payment was held because its product had a wrong kind, and was granted after the kind was corrected.
  case heldForItsKind
  /// A refunded product was bought again.
  case boughtAgain
  /// A refunded product was bought again under its first original id.
  case boughtAgainUnderOldOriginal
  /// An operator granted such a purchase (under its first original id) to its buyer.
  case claimedByOperator
  /// The App Store refunded such a purchase after the operator's claim.
  case claimedThenRefunded
  /// A refund was reported under a further transaction id.
  case refundUnderFurtherId
  /// A restored purchase came under a further transaction id.
  case restoredUnderFurtherId
  /// Two partial refunds had the same date.
  case oneRefundDate
  /// The team's other app sold something on the same server.
  case soldElsewhere
  /// The other app was added to the configuration after the first start.
  case appCame
  /// The other app was removed from the configuration.
  case appDropped
  case appRetired
  /// A user wanted to buy in the other app while it sold nothing.
  case orderedFromNobody
  /// A running server rejected a configuration without the other app, because that app had sold something.
  case dropRefused
  /// A user submitted evidence of another user, and got nothing.
  case cheatRefused
  /// Hundreds of requests arrived within a few seconds.
  case flooded
  /// Some of these requests were rejected by a rate limit, per sender or for all senders together.
  case floodRefused
  /// The apps of the world have production as their home environment.
  case atHomeInProduction
  /// A purchase was made in the sandbox of such a world.
  case soldInSandbox
  case grantedInSandbox
  /// The server rejected a sandbox purchase, as the configuration demands.
  case sandboxRefused
  /// The backend gave units without a payment.
  case credited
  /// A user was merged into another one.
  case merged
  /// The backend limited what a user may spend in a month, and an order was refused for it.
  case limitSet, limitReached
  /// The backend gave an entitlement without a payment, and took it back.
  case entitlementGiven, entitlementRevoked
  /// A user was erased.
  case erased
  /// A credit above the ceiling of the day was refused.
  case creditRefused
  /// The server told what was charged.
  case eventsTold
  /// Two servers worked on one database.
  case twoServers
  /// A phone was never opened again, and its payment was still granted.
  case grantedWithoutPhone
  /// A payment failed because Apple required an action first; the charge came later or never.
  case interrupted
  /// The sandbox interrupted a payment: it fails even after the terms are accepted.
  case interruptedForGood
  /// The App Store charged, and the device reported a cancellation.
  case cancelledThoughCharged
  /// The App Store charged, and the device reported nothing.
  case silentThoughCharged
  case refusedByParent
  /// A device did something that Apple's documents leave open.
  case oddDevice
  /// A signature was broken on the way to the app.
  case evidenceSpoiled
  /// The Keychain could not be read or written.
  case keychainFailed
  /// The app was removed and installed again.
  case reinstalled

  /// A receipt showed a payment, and Apple's answer completed it.
  case receiptCompleted
  /// A payment was granted from a receipt alone: there is no key to ask Apple, so its token stayed unseen.
  case receiptAlone
  /// The receipt on a phone was older than its queue.
  case receiptLagged
  /// An app refreshed its receipt, because the server had not found the transaction in the previous one.
  case receiptRefreshed
  /// Apple's servers did not answer correctly.
  case appleRefused
  /// The notification history revealed a payment whose notification never left the App Store.
  case healedByNotificationHistory
  /// The transaction history of a customer revealed a payment. Its notification never left the App Store, and its
  /// phone was lost.
  case healedByTransactionHistory
  /// A refund was recorded although its notification never left the App Store.
  case refundHealed
  /// A server was killed while it compared the ledger with Apple's records.
  case serverKilledWhileComparing
  /// The server finished a transaction at Apple that no client had finished.
  case finishedAtApple
  /// The server told Apple which order a transaction has paid.
  case tokenSetAtApple

  /// A payment at WeChat Pay was granted to its order.
  case weChatPaid
  /// A payment at WeChat Pay was granted to an order that was closed here.
  case weChatPaidLate
  /// An order was being closed at WeChat Pay, and the payment came first.
  case weChatClosedRace
  /// An order was closed at WeChat Pay before it was paid.
  case weChatClosed
  /// The daily bill revealed a payment, which was then granted.
  case weChatHealedByBill
  /// WeChat Pay signed false data, and the payment was held until it signed the correct data.
  case weChatHeldByLie
  /// A payment at WeChat Pay was refunded in full.
  case weChatRefunded
  /// A payment at WeChat Pay was refunded in part.
  case weChatRefundedInPart
  /// A refund at WeChat Pay failed, or does not progress.
  case weChatRefundFailed
  /// The server learned of a payment from WeChat Pay's notification.
  case weChatNotified
  /// The server learned of a payment from its own query.
  case weChatAsked
  /// For a while it was unknown whether WeChat Pay had opened an order.
  case weChatPrepareUnknown
  /// The simulated WeChat Pay was killed.
  case weChatPayKilled
  /// A kill left an incomplete record in WeChat Pay's log.
  case weChatLogTorn
  /// WeChat's cashier rejected an order from an app: too late, or already paid.
  case weChatCashierRefused
  /// The OpenSDK reported that WeChat was not opened.
  case weChatNotOpened
  /// WeChat sent the app no callback: the customer left another way.
  case weChatCallbackAbsent
  /// WeChat's callback to the app was lost.
  case weChatCallbackLost
  /// WeChat's callback to the app came late.
  case weChatCallbackLate
  /// WeChat's callback came with the next start of the app.
  case weChatCallbackAtNextStart
  /// An app was killed while WeChat's cashier was open.
  case appKilledDuringWeChat
  /// The user changed while WeChat's cashier was open.
  case userSwitchedDuringWeChat
  /// A user bought at both stores.
  case boughtAtBothStores

  case renewed
  /// A renewal was granted from its notification alone: no phone submitted it, and no query revealed it.
  case renewedByNotificationAlone
  /// A charge that had failed succeeded later.
  case billingRecovered
  /// A subscriber came back to a subscription, or bought another one of the same group.
  case resubscribed
  /// A higher subscription replaced the current one.
  case subscriptionUpgraded
  /// A subscription had expired at the end.
  case subscriptionEnded
  /// At the end, a subscriber's card was declined, and the subscriber had access.
  case gracePeriod
  /// At the end, a subscriber's card was declined, and the subscriber had no access.
  case billingRetry
  /// Units were taken back in several parts.
  case refundedInParts
  /// A refund was reversed, and its units or entitlement came back.
  case refundReversed
  /// A payment whose refund had been reversed was refunded again.
  case refundedAgain
  /// A payment was refunded before the backend had booked it.
  case refundedBeforeDelivery
  /// A payment was refunded after the backend had booked it.
  case refundedAfterDelivery
  /// A payment was refunded after the user had spent units.
  case refundedAfterSpending
  /// A user restored a purchase of another user, and the owner did not change.
  case restoreKeptOwner
  /// A user restored a purchase of another user, and it moved to them.
  case restoreTransferred
  /// A user restored a purchase of another user, and both have it.
  case restoreShared
  /// A debit was repeated after a lost answer, and had already been booked.
  case debitRepeated
  /// A debit was larger than the user's balance.
  case debitInsufficient

  /// An operator pressed a button in the console, and it was done or asked for.
  case operatorPressed
  /// A press of an operator was sent again, and nothing was done a second time.
  case operatorRepeated
  /// Another operator decided about what one had asked for.
  case operatorApproved
  /// An operator gave a purchase to its buyer in the console.
  case operatorPressedClaim
  /// A customer complained at WeChat Pay, did so again after the server knew, and read an operator's answer.
  case complained, complainedAgain, complaintAnswered

  /// A node was cut off from the database.
  case nodeCutOff
  /// A node was stopped for some time, and went on.
  case nodeHeld
  /// A node was killed while it did a work that it does alone.
  case nodeKilledWithLease
  /// A node was not heard for half a minute.
  case nodeGone
  /// A node found out about a commit whose answer it did not get, and it had taken.
  case commitFoundOut
  /// Commits waited for a standby that did not answer.
  case standbyAway
  case primaryRestarted
  /// A standby took the place of a primary that was killed.
  case promoted
  /// A standby took the place of a primary that ran on.
  case promotedBesideOld
}
