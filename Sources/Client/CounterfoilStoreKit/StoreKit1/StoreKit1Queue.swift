#if canImport(StoreKit)
  public import Counterfoil
  import Foundation
  public import PaymentPrimitives
  import StoreKit

  /// StoreKit 1's `SKPaymentQueue`, for systems before iOS 15 and for apps that prefer it.
  ///
  /// Make one, at the launch of the app: it observes the queue from then on (1A.25, X6). Use it or `StoreKit2Queue`,
  /// never both: each transaction would come twice.
  public actor StoreKit1Queue: StoreQueue {
    /// An object of Apple's queue with the name that this adapter gave it. It is retained so that its address is not
    /// reused.
    private struct Known {
      let object: SKPaymentTransaction
      let handle: String
      var toldState: SKPaymentTransactionState?
    }

    private let receipt: AppReceipt
    let dependencies: Dependencies
    private let start: AdapterStart
    private let observer: PaymentObserver
    private var known: [ObjectIdentifier: Known] = [:]
    private var lastHandle = 0
    private var listener: AsyncStream<StoreTransaction>.Continuation?
    private var promotedListener: AsyncStream<PromotedPayment>.Continuation?
    private var promoted: [PromotedPayment] = []
    /// Callers that wait for entries to leave the queue.
    private var leaving: [(entries: Set<ObjectIdentifier>, waiting: Waiting<Bool>)] = []
    /// Callers that wait for the end of the restore.
    var restoring: [Waiting<StoreFailure?>] = []
    /// What the running restore has brought. An entry may be finished and gone before the restore ends.
    var brought: [StoreTransaction] = []
    /// Fetched products: Apple withdrew the payment by a bare id long ago, and still takes it. A product that was once
    /// fetched is paid as itself (1A.22).
    private var sold: [String: SKProduct] = [:]

    /// A queue that listens at once.
    ///
    /// - Parameters:
    ///   - receipt: the app receipt: the evidence if there is no signed transaction.
    ///   - dependencies: time, for the limits of waiting.
    ///   - start: starts the listener and the calls with a time limit.
    public init(
      receipt: AppReceipt = .ofThisApp, dependencies: Dependencies, start: AdapterStart = .asTask
    ) {
      self.receipt = receipt
      self.dependencies = dependencies
      self.start = start
      let (events, continuation) = AsyncStream.makeStream(of: PaymentQueueEvent.self)
      observer = PaymentObserver(continuation)
      SKPaymentQueue.default().add(observer)
      start.start { for await event in events { await self.take(event) } }
    }

    /// Whether the device's settings allow payments.
    public func canMakePayments() async -> Bool { SKPaymentQueue.canMakePayments() }

    /// The id with which Apple signs device proofs, also in the signed forms of this queue's transactions.
    public func deviceVerificationId() async -> String? { AppStore.deviceVerificationID?.uuidString.lowercased() }

    // MARK: listening

    /// The present contents of the queue, then every change. A new subscriber replaces the previous one.
    public func updates() async -> AsyncStream<StoreTransaction> {
      let (stream, continuation) = AsyncStream.makeStream(of: StoreTransaction.self)
      listener?.finish()
      listener = continuation
      tell(about: Set(look().map { ObjectIdentifier($0) }))
      return stream
    }

    /// Purchases begun in the App Store; those before the first subscriber come first. A new subscriber replaces the
    /// previous one.
    public func promotedPayments() async -> AsyncStream<PromotedPayment> {
      let (stream, continuation) = AsyncStream.makeStream(of: PromotedPayment.self)
      promotedListener?.finish()
      promotedListener = continuation
      for payment in promoted { continuation.yield(payment) }
      promoted = []
      return stream
    }

    private func take(_ event: PaymentQueueEvent) {
      switch event {
      case .changed(let told):
        tell(about: Set(told))
      case .restoreEnded(let failure):
        tell(about: [])
        for waiting in restoring { waiting.end(failure) }
        restoring = []
      case .storefrontChanged:
        // Another country has other products and prices.
        sold = [:]
      case .promoted(let product, let quantity, let offer):
        sold[product.productIdentifier] = product
        lastHandle += 1
        let payment = PromotedPayment(
          handle: "promoted-\(lastHandle)", product: StoreProductIdentifier(product.productIdentifier),
          quantity: quantity, offer: offer)
        if let promotedListener {
          promotedListener.yield(payment)
        } else if promoted.count < AdapterLimits.promotedMax {
          promoted.append(payment)
        }
      }
    }

    /// Reports these entries and all entries that have changed since the last report. The search for evidence runs in
    /// parallel: if it hangs, it blocks neither later callbacks nor callers that wait for a finish.
    private func tell(about named: Set<ObjectIdentifier>) {
      var paid: [StoreTransaction] = []
      for object in look() {
        let key = ObjectIdentifier(object)
        let state = object.transactionState
        guard named.contains(key) || known[key]?.toldState != state else { continue }
        known[key]?.toldState = state
        let entry = snapshot(object)
        if state == .restored, !restoring.isEmpty { brought.append(entry) }
        if entry.isEvidence { paid.append(entry) } else { listener?.yield(entry) }
      }
      guard !paid.isEmpty else { return }
      let entries = paid
      start.start { await self.tellWithEvidence(entries) }
    }

    private func tellWithEvidence(_ entries: [StoreTransaction]) async {
      for entry in await withEvidence(entries) { listener?.yield(entry) }
    }

    /// Reads the queue as it is now, and informs callers that wait for an entry to leave it.
    private func look() -> [SKPaymentTransaction] {
      let objects = SKPaymentQueue.default().transactions
      let present = Set(objects.map { ObjectIdentifier($0) })
      for object in objects where known[ObjectIdentifier(object)] == nil {
        lastHandle += 1
        known[ObjectIdentifier(object)] = Known(object: object, handle: "entry-\(lastHandle)")
      }
      for key in known.keys where !present.contains(key) { known[key] = nil }
      for (entries, waiting) in leaving where entries.isDisjoint(with: present) { waiting.end(true) }
      leaving.removeAll { $0.entries.isDisjoint(with: present) }
      return objects
    }

    // MARK: what the queue holds

    /// The present contents of the queue, with evidence if there is any.
    public func unfinished() async throws(StoreFailure) -> [StoreTransaction] {
      let entries = await withEvidence(look().map { snapshot($0) })
      guard !Task.isCancelled else { throw StoreFailure(.other, explanation: "cancelled") }
      return entries
    }

    private func snapshot(_ object: SKPaymentTransaction) -> StoreTransaction {
      let state = object.transactionState
      var entry = StoreTransaction(
        handle: known[ObjectIdentifier(object)]?.handle ?? "", state: Self.state(of: object),
        quantity: max(1, object.payment.quantity))
      let product = object.payment.productIdentifier
      entry.product = product.isEmpty ? nil : StoreProductIdentifier(product)
      entry.token = object.payment.applicationUsername.flatMap { OrderIdentifier($0) }
      guard state == .purchased || state == .restored else { return entry }
      // In any other state the number is undefined (X9, X11).
      entry.id = object.transactionIdentifier.map { TransactionIdentifier($0) }
      entry.purchaseDate = object.transactionDate.map { Timestamp($0) }
      entry.originalId = object.original?.transactionIdentifier.map { TransactionIdentifier($0) }
      entry.isRenewal = state == .purchased && entry.originalId != nil
      if state == .purchased { entry.answers = entry.token }
      return entry
    }

    private static func state(of object: SKPaymentTransaction) -> StoreTransaction.State {
      let state = object.transactionState
      if state == .purchased { return .purchased }
      if state == .restored { return .restored }
      if state == .failed { return .failed(StoreFailure(storeKit1: object.error)) }
      return state == .deferred ? .deferred : .purchasing
    }

    // MARK: evidence

    func withEvidence(_ entries: [StoreTransaction]) async -> [StoreTransaction] {
      guard entries.contains(where: \.isEvidence) else { return entries }
      let signed = await SignedTransaction.find(entries, bounds)
      // One receipt for the whole app: the evidence of all entries that have no signed form.
      let receipt = await readReceipt()
      return entries.map { entry in
        guard entry.isEvidence else { return entry }
        var entry = entry
        entry.evidence = entry.id.flatMap { signed[$0] } ?? receipt
        return entry
      }
    }

    var bounds: BoundedWait { BoundedWait(dependencies: dependencies, start: start) }

    private func readReceipt() async -> String? {
      let receipt = receipt
      let bytes = await bounds.value(within: AdapterLimits.evidenceSearch) { await receipt.read() } ?? nil
      return bytes.map { Data($0).base64EncodedString() }
    }

    /// The signed transaction, or else the app receipt as the store writes it now.
    public func freshEvidence(of transaction: StoreTransaction) async throws(StoreFailure) -> String? {
      if let id = transaction.id, let signed = await SignedTransaction.find([transaction], bounds)[id] {
        return signed
      }
      let receipt = receipt
      guard try await bounds.result(of: { await receipt.refresh() }) else {
        throw StoreFailure(.storeUnreachable, explanation: "the app receipt could not be fetched")
      }
      return await readReceipt()
    }

    // MARK: asking

    /// The store's description of products. It may take seconds; no payment waits for it.
    public func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
      try await bounds.result { () throws(StoreFailure) in try await self.fetch(ids) }
    }

    private func fetch(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
      let answer = try await ProductsRequest.send(ids)
      // Only this answer counts: after a change of country or account the store may know a product no more.
      for id in ids { sold[id.text] = nil }
      for product in answer { sold[product.productIdentifier] = product }
      let known = ids.compactMap { sold[$0.text] }.map { StoreProduct($0) }
      return StoreProducts(products: known, unknown: ids.filter { sold[$0.text] == nil })
    }

    /// Adds a payment, and returns at once. A product that was not fetched before is paid by its id: the request for it
    /// may fail although the id is right, and no payment waits for it (1A.22).
    public func add(_ payment: StorePayment) async throws(StoreFailure) {
      let product = sold[payment.product.text]
      let asked = try payment.forStoreKit1(product)
      SKPaymentQueue.default().add(asked)
      guard product == nil else { return }
      // The next tap has it.
      start.start { _ = try? await self.fetch([payment.product]) }
    }

    /// Finishes a transaction, and waits until the queue confirms it; throws if it does not.
    public func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {
      let objects = look().filter { isMeant($0, by: transaction) }
      guard !objects.isEmpty else { return }
      let waiting = Waiting<Bool>()
      leaving.append((Set(objects.map { ObjectIdentifier($0) }), waiting))
      for object in objects { SKPaymentQueue.default().finishTransaction(object) }
      guard await waiting.value(within: AdapterLimits.removal, dependencies) == true else {
        throw StoreFailure(.storeUnreachable, explanation: "the queue has not said that it is finished")
      }
    }

    /// Whether an entry is the given one, and in a state that can be finished.
    private func isMeant(_ object: SKPaymentTransaction, by transaction: StoreTransaction) -> Bool {
      let state = object.transactionState
      guard state == .purchased || state == .failed || state == .restored else { return false }
      if known[ObjectIdentifier(object)]?.handle == transaction.handle { return true }
      guard state != .failed, let id = transaction.id else { return false }
      return object.transactionIdentifier == id.text
    }
  }
#endif
