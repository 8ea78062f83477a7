/// All statements on the tables that databases have in common.
package enum SQLStatements {
  /// Gives a payment key its number.
  package static let insertKey = SQLTransaction.insertKey

  package static let all =
    [SQLTransaction.keyIdentifier, SQLTransaction.insertKey]
    + OrderSQL.all + OrderWithPaymentSQL.all + WeChatPayOrderSQL.all + RefundSQL.all + PaymentSQL.all + EvidenceSQL.all
    + DuplicateSQL.all + StoppedSQL.all + SubscriptionSQL.all + ClaimSQL.all + KeptClaimSQL.all + AppStoreSQL.all
    + EarlierSQL.all + GrantSQL.all + PostingSQL.all + WalletSQL.all + CreditSQL.all + NotificationSQL.all
    + ForwardSQL.all + DeliverySQL.all + JournalSQL.all + InstallationSQL.all + WaitingWorkSQL.all + SearchSQL.all
    + OperatorListSQL.all + StatedTimeSQL.all + PhoneSQL.all + UserSQL.all + OperatorAccessSQL.all
    + ComplaintSQL.all + PromotionalSQL.all + ErasureSQL.all + NamingSQL.all + RenamingSQL.all
    + RetentionSQL.all + HourlyTotalSQL.all

  /// Those that take due work, for databases with several writers.
  package static let taking = TakingSQL.all
}
