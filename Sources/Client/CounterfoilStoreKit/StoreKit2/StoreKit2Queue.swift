#if canImport(StoreKit)
  public import Counterfoil
  import Foundation
  public import PaymentPrimitives
  import StoreKit

  /// StoreKit 2's `Product` and `Transaction`.
  ///
  /// Make one, at the launch of the app: it listens from then on (X6). Use it or `StoreKit1Queue`, never both: each
  /// transaction would come twice.
  public actor StoreKit2Queue: StoreQueue {
    private let dependencies: Dependencies
    private let start: AdapterStart
    private let presenting: PurchaseAnchor.Choice
    /// Fetched products: a payment needs the object, and fetching it may take seconds (1A.22).
    private var fetched: [String: (product: Product, at: Timestamp)] = [:]
    /// Revocations that came before the first listener.
    private var untold: [StoreTransaction] = []
    private var listener: AsyncStream<StoreTransaction>.Continuation?
    private var promotedListener: AsyncStream<PromotedPayment>.Continuation?
    private var promoted: [PromotedPayment] = []
    private var lastPromoted = 0
    #if !os(tvOS) && !os(watchOS) && !os(visionOS)
      /// Before iOS 16.4, purchases begun in the App Store come through StoreKit 1's queue alone.
      private let promotions: PromotionObserver?
    #endif

    /// A queue that listens at once.
    ///
    /// - Parameters:
    ///   - products: the products that the app sells: fetched now, so that a payment need not wait for them.
    ///   - presenting: the place where the payment sheet opens, asked for at each payment. An app with several
    ///   windows, or an extension, names it; otherwise it is found.
    ///   - dependencies: time, for the limits of waiting.
    ///   - start: starts the listener and the calls with a time limit.
    public init(
      products: [StoreProductIdentifier] = [],
      presenting: @escaping PurchaseAnchor.Choice = { PurchaseAnchor.found() },
      dependencies: Dependencies, start: AdapterStart = .asTask
    ) {
      self.init(
        products: products, presenting: presenting, dependencies: dependencies, start: start,
        promotionsByStoreKit1: false)
    }

    /// - Parameter promotionsByStoreKit1: takes purchases begun in the App Store from StoreKit 1's queue, as before
    ///   iOS 16.4, where StoreKit 2 does not report them.
    package init(
      products: [StoreProductIdentifier], presenting: @escaping PurchaseAnchor.Choice, dependencies: Dependencies,
      start: AdapterStart, promotionsByStoreKit1: Bool
    ) {
      self.dependencies = dependencies
      self.start = start
      self.presenting = presenting
      #if !os(tvOS) && !os(watchOS) && !os(visionOS)
        let (taps, continuation) = AsyncStream.makeStream(of: PaymentQueueEvent.self)
        if #available(iOS 16.4, macOS 14.4, *), !promotionsByStoreKit1 {
          promotions = nil
          start.start { for await intent in PurchaseIntent.intents { await self.take(intent) } }
        } else {
          promotions = PromotionObserver(continuation)
          start.start { for await tap in taps { await self.take(tap) } }
        }
        if let promotions { SKPaymentQueue.default().add(promotions) }
      #endif
      start.start { for await result in Transaction.updates { await self.tell(StoreTransaction(result)) } }
      // Another country has other products and prices.
      start.start { for await _ in Storefront.updates { await self.forgetProducts() } }
      if !products.isEmpty { start.start { _ = try? await self.products(products) } }
    }

    /// Whether the device's settings allow payments.
    public func canMakePayments() async -> Bool { AppStore.canMakePayments }

    /// The id with which Apple signs device proofs.
    public func deviceVerificationId() async -> String? { AppStore.deviceVerificationID?.uuidString.lowercased() }

    // MARK: listening

    /// The present contents of the queue, then every change. A new subscriber replaces the previous one.
    public func updates() async -> AsyncStream<StoreTransaction> {
      let (stream, continuation) = AsyncStream.makeStream(of: StoreTransaction.self)
      listener?.finish()
      listener = continuation
      for entry in untold { continuation.yield(entry) }
      untold = []
      // Replays are not reliable (SK2-6). This runs in parallel, so that new updates arrive even if the queue does not
      // answer.
      start.start { for entry in (try? await self.unfinished()) ?? [] { continuation.yield(entry) } }
      return stream
    }

    private func tell(_ entry: StoreTransaction) {
      if let listener, case .enqueued = listener.yield(entry) { return }
      // The unfinished transactions are read again; revocations are not among them.
      guard case .revoked = entry.state, untold.count < AdapterLimits.untoldMax else { return }
      untold.append(entry)
    }

    private func forgetProducts() { fetched = [:] }

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

    #if !os(tvOS) && !os(watchOS) && !os(visionOS)
      @available(iOS 16.4, macOS 14.4, *)
      private func take(_ intent: PurchaseIntent) {
        fetched[intent.product.id] = (intent.product, dependencies.now())
        hold(StoreProductIdentifier(intent.product.id), quantity: 1, offer: Self.offer(of: intent))
      }

      private func take(_ event: PaymentQueueEvent) {
        guard case .promoted(let product, let quantity, let offer) = event else { return }
        hold(StoreProductIdentifier(product.productIdentifier), quantity: quantity, offer: offer)
      }

      private func hold(_ product: StoreProductIdentifier, quantity: Int, offer: StoreOffer?) {
        lastPromoted += 1
        let payment = PromotedPayment(
          handle: "promoted-\(lastPromoted)", product: product, quantity: quantity, offer: offer)
        if let promotedListener {
          promotedListener.yield(payment)
        } else if promoted.count < AdapterLimits.promotedMax {
          promoted.append(payment)
        }
      }

      /// The win-back offer that the customer tapped. Other offers belong to the store, or are signed for an order.
      @available(iOS 16.4, macOS 14.4, *)
      private static func offer(of intent: PurchaseIntent) -> StoreOffer? {
        guard #available(iOS 18.0, macOS 15.0, *), let offer = intent.offer, offer.type == .winBack, let id = offer.id
        else { return nil }
        return .winBack(id: id)
      }
    #endif

    // MARK: what the queue holds

    /// The present contents of the queue, with evidence if there is any.
    public func unfinished() async throws(StoreFailure) -> [StoreTransaction] {
      try await bounds.result { await Self.unfinishedNow() }
    }

    private static func unfinishedNow() async -> [StoreTransaction] {
      var entries: [StoreTransaction] = []
      for await result in Transaction.unfinished { entries.append(StoreTransaction(result)) }
      return entries
    }

    private var bounds: BoundedWait { BoundedWait(dependencies: dependencies, start: start) }

    // MARK: products

    /// The store's description of products. It may take seconds; no payment waits for it.
    public func products(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
      try await bounds.result { () throws(StoreFailure) in try await self.fetch(ids) }
    }

    private func fetch(_ ids: [StoreProductIdentifier]) async throws(StoreFailure) -> StoreProducts {
      let answer: [Product]
      do {
        answer = try await Product.products(for: ids.map(\.text))
      } catch {
        throw StoreFailure(storeKit2: error)
      }
      // Only this answer counts: after a change of country or account the store may know a product no more.
      for id in ids { fetched[id.text] = nil }
      for product in answer { fetched[product.id] = (product, dependencies.now()) }
      var known: [StoreProduct] = []
      for id in ids {
        guard let product = answer.first(where: { $0.id == id.text }) else { continue }
        var described = StoreProduct(product)
        if described.introductoryOffer != nil {
          described.isEligibleForIntroductoryOffer = await product.subscription?.isEligibleForIntroOffer
        }
        known.append(described)
      }
      return StoreProducts(products: known, unknown: ids.filter { id in !known.contains { $0.id == id } })
    }

    private func product(_ id: StoreProductIdentifier) async throws(StoreFailure) -> Product {
      if let (product, at) = fetched[id.text], at <= dependencies.now(),
        dependencies.now() - at < AdapterLimits.productAge
      {
        return product
      }
      let answer = await bounds.value(within: AdapterLimits.productFetch) { () -> StoreFailure? in
        do throws(StoreFailure) {
          _ = try await self.fetch([id])
          return nil
        } catch { return error }
      }
      guard let answer else { throw StoreFailure(.storeUnreachable, explanation: "the product did not come in time") }
      if let failure = answer { throw failure }
      guard let product = fetched[id.text]?.product else {
        throw StoreFailure(.productUnavailable, explanation: "the store does not know the product")
      }
      return product
    }

    // MARK: paying

    /// Opens the payment sheet, and returns when it has closed. A purchase that waits for approval comes as an update.
    public func add(_ payment: StorePayment) async throws(StoreFailure) {
      try await bounds.result { () throws(StoreFailure) in try await self.pay(payment) }
    }

    private func pay(_ payment: StorePayment) async throws(StoreFailure) {
      let product = try await product(payment.product)
      let options = try product.options(of: payment)
      let opened = dependencies.now()
      let result: Product.PurchaseResult
      do {
        result = try await product.purchase(at: presenting, options: options)
      } catch {
        throw StoreFailure(storeKit2: error).after(dependencies.now() - opened)
      }
      if case .success(let bought) = result {
        var entry = StoreTransaction(bought)
        entry.answers = payment.token
        return tell(entry)
      }
      if case .userCancelled = result {
        throw StoreFailure(.cancelled, explanation: "userCancelled").after(dependencies.now() - opened)
      }
      guard case .pending = result else { throw StoreFailure(.other, explanation: "an unknown result") }
      // A purchase that waits for approval has no object (SK2-4): the order's token names it.
      var entry = StoreTransaction(
        handle: "pending-\(payment.token.appAccountToken)", state: .deferred, quantity: payment.quantity)
      entry.product = payment.product
      entry.token = payment.token
      tell(entry)
    }

    // MARK: finishing and restoring

    /// Finishes a transaction. The store does not say whether the finish took effect: if not, the transaction comes
    /// back.
    public func finish(_ transaction: StoreTransaction) async throws(StoreFailure) {
      guard let id = transaction.id else { return }
      try await bounds.result {
        // It goes through the unfinished transactions, because `latest(for:)` cannot see an older consumable.
        for await result in Transaction.unfinished where "\(result.unsafePayloadValue.id)" == id.text {
          await result.unsafePayloadValue.finish()
        }
      }
    }

    /// Restores permanent purchases. Call it only when the customer asks for it: it may ask for their password.
    public func restore() async throws(StoreFailure) -> [StoreTransaction] {
      try await bounds.result { () throws(StoreFailure) in try await Self.restoreNow() }
    }

    private static func restoreNow() async throws(StoreFailure) -> [StoreTransaction] {
      do {
        try await AppStore.sync()
      } catch {
        throw StoreFailure(storeKit2: error)
      }
      var entries = await unfinishedNow()
      for await result in Transaction.currentEntitlements {
        var entry = StoreTransaction(result)
        guard !entries.contains(where: { $0.id == entry.id }) else { continue }
        if entry.state == .purchased { entry.state = .restored }
        entries.append(entry)
      }
      return entries
    }
  }
#endif
