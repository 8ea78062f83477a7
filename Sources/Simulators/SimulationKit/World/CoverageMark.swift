/// Something worth having seen: if no world of many shows it, the worlds are too tame to prove anything.
package enum CoverageMark: String, CaseIterable, Sendable {
  /// A server was killed while a transaction of it was asked for and not run.
  case serverKilledBeforeCommit
  /// A server was killed after a commit that nobody had heard of.
  case serverKilledAfterCommit
  /// A commit's outcome was lost, and it had been written.
  case commitUnknownButWritten
  /// A commit's outcome was lost, and nothing had been written.
  case commitUnknownNotWritten
  case storeBusy
  /// A transaction was run again after a conflict.
  case storeConflict
  /// The simulated App Store was killed.
  case appStoreKilled
  /// A record of the App Store's log was torn by a kill.
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
  /// The server learned of a payment from a notification before the phone told it.
  case notificationFirst
  /// The server learned of a payment from the phone first.
  case clientFirst
  /// The same evidence was submitted more than once.
  case duplicateSubmission
  /// A payment found its order by its token.
  case matchedExact
  /// A payment found its order by the vault's records.
  case matchedPresented
  /// A payment found its order because the user had one that fits.
  case matchedInferred
  /// An order was made for a payment.
  case matchedDerived
  /// A payment paid an order that had been closed.
  case paidLate
  /// A payment is held for an operator.
  case held
  /// A payment without a token was granted to another user of the same Apple account, who lawfully claimed it.
  case claimedOnSharedAccount
  case tokenLost
  /// The charge was made and the store's answer lost.
  case purchaseAnswerLost
  /// The store reported a failure though it had charged.
  case failedThoughCharged
  case approvedLater
  case customerCancelled
  case vaultLost
  /// The user changed while something was open.
  case userSwitched
  /// Two phones shared one Apple account.
  case accountShared
  /// The store delivered an earlier purchase instead of selling another.
  case unfinishedDelivered
  /// What was owned was bought again under another transaction id.
  case ownedAgain
  /// A payment was taken back after it had been granted.
  case reversed
  /// A payment was taken back before it was granted.
  case revokedBeforeGrant
  /// The backend had booked a delivery and its answer was lost or an error.
  case bookedButNotAcknowledged
  /// A delivery came again and was dropped.
  case deliveryDropped
  case onSQLite
  /// A transaction came while the disk was full.
  case diskFull
  /// The shop's configuration changed while people bought.
  case catalogChanged
  /// A server took another configuration while it ran.
  case catalogReloaded
  /// The shop's configuration named a wrong kind for a product.
  case kindChanged
  /// A payment waited for the right kind of its product to be configured again, and was granted then.
  case heldForItsKind
  /// What had been refunded was bought again.
  case boughtAgain
  /// The same, under its first original id.
  case boughtAgainUnderOldOriginal
  /// An operator gave what had been bought again under its first original id to who bought it.
  case claimedByOperator
  /// The store gave such a purchase back afterwards.
  case claimedThenRefunded
  /// A refund was told under a further id.
  case refundUnderFurtherId
  /// What was restored came under a further id.
  case restoredUnderFurtherId
  /// Two parts of a refund had one date.
  case oneRefundDate
  /// The team's other app sold something on the same server.
  case soldElsewhere
  /// The other app was put into the configuration after the first start.
  case appCame
  /// The other app was dropped from the configuration.
  case appDropped
  case appRetired
  /// Somebody wanted to buy in the other app, and it sold nothing at that moment.
  case orderedFromNobody
  /// A server that ran refused a configuration without the other app, which had sold something.
  case dropRefused
  /// Somebody handed in what was not theirs, and got nothing.
  case cheatRefused
  /// Hundreds of requests came in a few seconds.
  case flooded
  /// A part of them was refused because their sender, or all together, had asked too much.
  case floodRefused
  /// The apps of the world were at home in production.
  case atHomeInProduction
  /// Something was bought in the sandbox of such a world.
  case soldInSandbox
  case grantedInSandbox
  /// It was not taken, as the configuration says.
  case sandboxRefused
  /// Two servers worked on one database.
  case twoServers
  /// A phone was never opened again, and its payment was granted all the same.
  case grantedWithoutPhone
  /// A payment failed because Apple wanted something first, and was charged later, if at all.
  case interrupted
  /// The sandbox interrupted a payment: it fails also after the terms were accepted.
  case interruptedForGood
  /// The store charged and the device said that the customer gave up.
  case cancelledThoughCharged
  /// The store charged and the device said nothing.
  case silentThoughCharged
  case refusedByParent
  /// A device did what Apple's documents leave open.
  case oddDevice
  /// A signature was broken on the way to the app.
  case evidenceSpoiled
  /// The Keychain could not be read or written.
  case keychainFailed
  /// The app was removed and installed again.
  case reinstalled

  /// A receipt showed a payment, and Apple's answer completed it.
  case receiptCompleted
  /// A receipt alone showed a payment that was granted: the shop cannot ask Apple, and its token stayed unseen.
  case receiptAlone
  /// The receipt on a phone lagged behind its queue.
  case receiptLagged
  /// An app had the receipt written anew, because the server had missed the transaction in the last one.
  case receiptRefreshed
  /// Apple's servers did not answer as they should.
  case appleRefused
  /// A payment whose notification never left the App Store was found in its history of notifications.
  case healedByNotificationHistory
  /// A payment whose notification never left the App Store, and whose phone was gone, was found in the history of its
  /// customer.
  case healedByTransactionHistory
  /// A refund was noted whose notification never left the App Store.
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
  /// An order was to be closed at WeChat Pay, and the payment won.
  case weChatClosedRace
  /// An order was closed at WeChat Pay before anybody paid it.
  case weChatClosed
  /// A payment was granted by what the bill of the day brought to light.
  case weChatHealedByBill
  /// WeChat Pay signed what was not true, and the payment was held until it told the truth.
  case weChatHeldByLie
  /// A payment at WeChat Pay was given back wholly.
  case weChatRefunded
  /// A part of a payment at WeChat Pay was given back.
  case weChatRefundedInPart
  /// A refund at WeChat Pay failed, or stands still.
  case weChatRefundFailed
  /// The server learned of a payment by WeChat Pay's notification.
  case weChatNotified
  /// The server learned of a payment by its own question.
  case weChatAsked
  /// Nobody knew for a while whether WeChat Pay had opened an order.
  case weChatPrepareUnknown
  /// The simulated WeChat Pay was killed.
  case weChatPayKilled
  /// A record of WeChat Pay's log was torn by a kill.
  case weChatLogTorn
  /// WeChat's cashier refused what an app handed over: too late, or paid already.
  case weChatCashierRefused
  /// The OpenSDK said that WeChat was not opened.
  case weChatNotOpened
  /// WeChat has no word for the app: the customer left by another way.
  case weChatCallbackAbsent
  /// WeChat's word to the app was lost.
  case weChatCallbackLost
  /// WeChat's word to the app came late.
  case weChatCallbackLate
  /// WeChat's word came with the next start of the app.
  case weChatCallbackAtNextStart
  /// An app was killed while WeChat's cashier was open.
  case appKilledDuringWeChat
  /// The user changed while WeChat's cashier was open.
  case userSwitchedDuringWeChat
  /// A user bought at both stores.
  case boughtAtBothStores

  case renewed
  /// A renewal was granted that no phone ever handed in, and no question brought to light.
  case renewedByNotificationAlone
  /// A charge that had failed went through.
  case billingRecovered
  /// Somebody came back to his subscription, or took another one of it.
  case resubscribed
  /// A better subscription took the place of the present one.
  case subscriptionUpgraded
  /// A subscription was over at the end.
  case subscriptionEnded
  /// The card of a subscriber was refused at the end, and he had access.
  case gracePeriod
  /// The card of a subscriber was refused at the end, and he had no access.
  case billingRetry
  /// Units were taken back in several parts.
  case refundedInParts
  /// A refund was taken back, and what it had taken came back.
  case refundReversed
  /// What had come back was refunded once more.
  case refundedAgain
  /// Something was taken back before the backend had booked it.
  case refundedBeforeDelivery
  /// Something was taken back that the backend had booked.
  case refundedAfterDelivery
  /// Something was taken back from a user who had spent.
  case refundedAfterSpending
  /// A user restored what another has, and it stayed where it is.
  case restoreKeptOwner
  /// A user restored what another had, and it is his now.
  case restoreTransferred
  /// A user restored what another has, and has it, too.
  case restoreShared
  /// A debit was asked for again after a lost answer, and had been booked.
  case debitRepeated
  /// A user was to spend more than he had.
  case debitInsufficient

  /// What only phones with queues and Keychain of Apple's show.
  package static let ofDevices: Set<CoverageMark> = [
    .interrupted, .interruptedForGood, .cancelledThoughCharged, .silentThoughCharged, .refusedByParent, .oddDevice,
    .evidenceSpoiled, .keychainFailed, .reinstalled,
  ]
}
