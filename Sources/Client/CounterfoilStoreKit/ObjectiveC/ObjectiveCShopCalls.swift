#if canImport(StoreKit)
  import Counterfoil
  import Foundation
  import PaymentPrimitives
  #if canImport(UIKit)
    public import UIKit
  #endif

  // What a shop's page, the support desk and a migration need.
  extension ObjectiveCPurchasing {
    /// The store's description of products, for the shop's page; `unknown` are the ids that it does not know. An error
    /// means that the store did not answer: it does not mean that a product is wrong.
    public func products(
      _ identifiers: [String],
      completion: @escaping @MainActor @Sendable ([ObjectiveCProduct], _ unknown: [String], (any Error)?) -> Void
    ) {
      work.start { [purchasing] in
        switch await purchasing.storeProducts(identifiers.map { StoreProductIdentifier($0) }) {
        case .answered(let answer):
          await completion(answer.products.map { ObjectiveCProduct($0) }, answer.unknown.map(\.text), nil)
        case .unanswered(let failure):
          await completion(
            [], [], self.error(PurchasingError(.storeUnavailable, failure?.explanation ?? "", storeFailure: failure)))
        }
      }
    }

    /// The orders of the signed-in user that this device has a record of, oldest first.
    public func openOrders(completion: @escaping @MainActor @Sendable ([ObjectiveCOpenOrder]) -> Void) {
      work.start { [purchasing] in await completion(await purchasing.openOrders().map { ObjectiveCOpenOrder($0) }) }
    }

    /// One order's trace for support, without tokens or persons; both are nil if the device knows nothing of the order.
    public func support(
      forOrder orderId: String, completion: @escaping @MainActor @Sendable (_ code: String?, _ text: String?) -> Void
    ) {
      work.start { [purchasing] in
        guard let order = OrderIdentifier(orderId) else { return await completion(nil, nil) }
        let bundle = await purchasing.supportBundle(for: order)
        await completion(bundle?.code, bundle?.text)
      }
    }

    /// Takes over the records that the app's earlier code stored: see `Purchasing.takeOver(_:)`. Without an error the
    /// app may erase its own copies. With one it keeps them; `userInfo` names those that no server could know, because
    /// of their form, under `unusable`.
    public func takeOver(
      _ records: [ObjectiveCEarlierRecord], completion: @escaping @MainActor @Sendable ((any Error)?) -> Void
    ) {
      let earlier = records.map(\.swift)
      let unusable = earlier.filter { !$0.isUsable }.map(\.reference)
      work.start { [purchasing] in
        do throws(PurchasingError) {
          try await purchasing.takeOver(earlier.filter(\.isUsable))
          guard !unusable.isEmpty else { return await completion(nil) }
          let said = self.error(PurchasingError(.requestInvalid, "A record has no usable number, product or user."))
          await completion(
            NSError(
              domain: said.domain, code: said.code,
              userInfo: said.userInfo.merging(["unusable": unusable]) { first, _ in first }))
        } catch {
          await completion(self.error(error))
        }
      }
    }
  }

  #if !os(macOS) && !os(tvOS) && !os(watchOS)
    // The store's own sheets. How they ended proves nothing: results come as transactions.
    @available(iOS 15.0, visionOS 1.0, *)
    extension ObjectiveCPurchasing {
      /// Shows the customer's subscriptions of this app.
      public func manageSubscriptions(
        in scene: UIWindowScene, completion: (@MainActor @Sendable ((any Error)?) -> Void)?
      ) {
        work.start {
          do throws(StoreFailure) {
            try await StoreSheets.manageSubscriptions(in: scene)
            await completion?(nil)
          } catch {
            await completion?(self.error(error))
          }
        }
      }

      /// Lets the customer ask Apple for a refund. `isSent` is false if they asked for none.
      public func requestRefund(
        ofTransaction transactionId: String, in scene: UIWindowScene,
        completion: @escaping @MainActor @Sendable (_ isSent: Bool, (any Error)?) -> Void
      ) {
        work.start {
          do throws(StoreFailure) {
            let request = try await StoreSheets.requestRefund(of: TransactionIdentifier(transactionId), in: scene)
            await completion(request != .cancelled, nil)
          } catch {
            await completion(false, self.error(error))
          }
        }
      }

      /// Lets the customer redeem an offer code.
      public func redeemOfferCode(
        in scene: UIWindowScene, completion: (@MainActor @Sendable ((any Error)?) -> Void)?
      ) {
        work.start {
          do throws(StoreFailure) {
            try await StoreSheets.redeemOfferCode(in: scene)
            await completion?(nil)
          } catch {
            await completion?(self.error(error))
          }
        }
      }
    }
  #endif
#endif
