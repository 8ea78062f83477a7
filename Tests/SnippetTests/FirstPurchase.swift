// snippet: first-purchase
import CounterfoilApp

// snippet: end

/// The first purchase of an app on Apple's systems. It is only compiled here: there is no `StoreKit` and no server.
func makePurchasing(_ backend: Backend) throws -> Purchasing {
  // snippet: first-purchase
  let purchasing = try Purchasing.forThisApp(server: "https://pay.example.com", app: "shop") { wish in
    try await backend.paymentToken(for: wish.user, fresh: wish.wasRefused)
  }
  // snippet: end
  return purchasing
}

@MainActor func buyFirst(_ purchasing: Purchasing, _ shop: Shop) async throws {
  // snippet: first-purchase
  await purchasing.start()
  await purchasing.setUser("alice")
  let outcome = try await purchasing.purchase("coins100")
  // snippet: end
  shop.show(purchasing.message(for: outcome))
}

@MainActor func buy(_ purchasing: Purchasing, _ shop: Shop) async {
  // snippet: outcomes
  do throws(PurchasingError) {
    let outcome = try await purchasing.purchase("coins100")
    switch outcome {
    case .fulfilled: shop.refreshBalance()
    case .notGranted(let order, _, _): shop.showSupport(code: order.supportCode)
    case .cancelled, .pendingApproval, .renewalChanged, .awaitingConfirmation: break
    }
    shop.show(purchasing.message(for: outcome))
  } catch {
    shop.show(purchasing.message(for: error))
  }
  // snippet: end
}

@MainActor func listen(_ purchasing: Purchasing, _ shop: Shop) async {
  // snippet: events
  for await event in await purchasing.events() {
    switch event {
    case .fulfilled, .orderGranted: shop.refreshBalance()
    case .slowCallback, .notConfirmed, .notGranted: shop.show(purchasing.message(for: event))
    default: break
    }
  }
  // snippet: end
}

func buyUnderAnOffer(_ purchasing: Purchasing) async throws -> PurchaseOutcome {
  // snippet: offer
  var details = PurchaseDetails()
  details.promotionalOffer = "winter-24"
  let outcome = try await purchasing.purchase("club", details: details)
  // snippet: end
  return outcome
}

func recover(_ purchasing: Purchasing) async {
  // snippet: recover
  await purchasing.recover(.foreground)  // the app became active
  await purchasing.recover(.networkBack)  // the network is back
  await purchasing.recover(.push)  // a push message announced an update
  // snippet: end
}

func tellSupport(_ purchasing: Purchasing, _ order: OrderIdentifier) async -> String? {
  // snippet: support
  let bundle = await purchasing.supportBundle(for: order)
  let code = order.supportCode  // eight letters that the customer can read to support
  // snippet: end
  return bundle.map { code + $0.text }
}
