import PaymentDatabase

/// The database's word, beside a file that also speaks of the payment queue's.
typealias PaymentStoreTransaction = DatabaseTransaction
