import PaymentDatabase

/// The database's transaction, for files that also use the payment queue's.
typealias PaymentStoreTransaction = DatabaseTransaction
