/// All statements of this module that run on the tables.
enum SQLStatements {
  static let all =
    [PostgreSQLTransaction.keyIdentifier, PostgreSQLTransaction.insertKey]
    + OrderSQL.all + OrderWithPaymentSQL.all + WeChatPayOrderSQL.all + RefundSQL.all + PaymentSQL.all + EvidenceSQL.all
    + DuplicateSQL.all + StoppedSQL.all + SubscriptionSQL.all + ClaimSQL.all + KeptClaimSQL.all + AppStoreSQL.all
    + EarlierSQL.all + GrantSQL.all + PostingSQL.all + WalletSQL.all + NotificationSQL.all + ForwardSQL.all
    + DeliverySQL.all + JournalSQL.all + InstallationSQL.all + WaitingWorkSQL.all + SearchSQL.all
    + OperatorListSQL.all + PhoneSQL.all + LockSQL.all + CommitRowSQL.all + TakingSQL.all + NodeSQL.checked
}
