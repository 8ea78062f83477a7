#if canImport(Flutter)
  package import CounterfoilApp
  package import CounterfoilWeChat
  import Flutter
  import Foundation
  package import UIKit

  /// The client of the process. Engines come and go (a hot restart, a second engine), and it stays.
  @MainActor package final class PluginProcess {
    /// Makes the client. Tests hand in another one.
    package typealias ClientMaker =
      @MainActor (PluginSettings, (any WeChatApp)?, @escaping UserToken) throws(PurchasingError) -> Purchasing
    package typealias UserToken = @Sendable (UserTokenRequest) async throws -> String

    struct Client {
      let purchasing: Purchasing
      let messages: ChannelMessages
      let settings: PluginSettings
      let weChat: PluginWeChat?
    }

    static let ofThisApp = PluginProcess(start: .asTask) { settings, weChat, token throws(PurchasingError) in
      try Purchasing.forThisApp(
        server: settings.server, app: AppIdentifier(settings.app), weChat: weChat,
        configure: { $0.language = settings.language }, userToken: token)
    }

    /// Starts work that no caller waits for.
    let start: AdapterStart
    private let make: ClientMaker
    private(set) var client: Client?
    private var user: String?
    private var makeWeChat: (@Sendable (String, String) async -> PluginWeChat)?
    /// The newest engine answers for tokens: after a hot restart the old one is gone.
    private var tokens: FlutterMethodChannel?
    private var purchases: [PurchaseKey: RunningPurchase] = [:]

    package init(start: AdapterStart, make: @escaping ClientMaker) {
      self.start = start
      self.make = make
    }

    package func useWeChat(_ sdk: some WeChatOpenSDK) {
      let start = self.start
      makeWeChat = { await PluginWeChat.make(sdk, appId: $0, universalLink: $1, start: start) }
    }

    /// Ends the client's work, where no process ends with it.
    package func stop() async { await client?.purchasing.stop() }

    func answersForTokens(_ channel: FlutterMethodChannel) { tokens = channel }
    func tokensEnd(of channel: FlutterMethodChannel) { if tokens === channel { tokens = nil } }

    /// The error as Dart gets it, in the app's language once that is known.
    func error(_ error: PurchasingError) -> FlutterError {
      let ours = CustomerMessages().text(error.messageKey, in: .english)
      return ChannelMessages.error(error, client?.purchasing.message(for: error) ?? ours)
    }

    func cameToForeground() {
      guard let purchasing = client?.purchasing else { return }
      start.start { _ = await purchasing.recover(.foreground) }
    }

    // MARK: calls

    func answer(_ request: ChannelRequest) async throws(PurchasingError) -> ChannelValue {
      if case .configure(let settings) = request {
        try await configure(settings)
        return .nothing
      }
      guard let client else { throw PurchasingError(.notRunning, "Call Counterfoil.start first.") }
      let (purchasing, messages) = (client.purchasing, client.messages)
      switch request {
      case .configure: return .nothing
      case .consentGiven:
        await client.weChat?.consent()
        return .flag(client.weChat != nil)
      case .setUser(let user):
        self.user = user
        await purchasing.setUser(user.map { UserIdentifier($0) })
        return .nothing
      case .purchase(let wish): return messages.outcome(try await purchase(wish, with: purchasing))
      case .recover(let reason):
        let report = await purchasing.recover(reason)
        return messages.report(report, open: await purchasing.openOrders().count)
      case .restorePurchases: return messages.restored(try await purchasing.restorePurchases())
      case .openOrders: return .list(await purchasing.openOrders().map { .members(ChannelMessages.order($0)) })
      case .products: return messages.products(try await purchasing.catalog())
      case .balances: return .list(try await purchasing.balances().map { messages.balance($0) })
      case .entitlements: return .list(try await purchasing.entitlements().map { messages.entitlement($0) })
      case .takeOver(let records): return .list(try await takeOver(records, with: purchasing))
      case .requestRefund(let order): return .text(try await refund(order))
      case .redeemOfferCode:
        try await sheet { () async throws(StoreFailure) in try await StoreSheets.redeemOfferCode() }
        return .nothing
      case .manageSubscriptions:
        try await sheet { () async throws(StoreFailure) in try await StoreSheets.manageSubscriptions() }
        return .nothing
      case .weChatResponded(let code, let prepayId, let extData):
        guard let weChat = client.weChat else {
          throw PurchasingError(.weChatAbsent, "Call CounterfoilPlugin.useWeChat in the app's delegate.")
        }
        weChat.responses.onResp(isPayResp: true, errCode: code, prepayId: prepayId, extData: extData)
        return .nothing
      }
    }

    /// One client for the process: a hot restart gets the same one.
    private func configure(_ settings: PluginSettings) async throws(PurchasingError) {
      var weChat: PluginWeChat?
      if client == nil, let makeWeChat, let appId = settings.weChatAppId {
        guard let link = settings.universalLink else {
          throw PurchasingError(.configurationInvalid, "WeChat on iOS needs the universalLink.")
        }
        weChat = await makeWeChat(appId, link)
      }
      // No await from here on: two engines that start at once get one client.
      if let client {
        if client.settings == settings { return }
        throw PurchasingError(.configurationInvalid, "It was started with other values: start the app anew.")
      }
      let purchasing = try make(settings, weChat?.app) { [weak self] wish in
        guard let token = await self?.token(for: wish) else {
          throw PurchasingError(.userTokenUnavailable, "The app gave no token.")
        }
        return token
      }
      client = Client(
        purchasing: purchasing, messages: ChannelMessages(purchasing: purchasing, language: settings.language),
        settings: settings, weChat: weChat)
      start.start { await purchasing.run() }
    }

    /// Two taps are one sheet: a second call for the same product gets the same result.
    private func purchase(
      _ wish: PurchaseRequest, with purchasing: Purchasing
    ) async throws(PurchasingError) -> PurchaseOutcome {
      let key = PurchaseKey(user: user, product: wish.product)
      if let running = purchases[key] {
        guard running.wish == wish else { throw PurchasingError(.purchaseInProgress, "It runs with other values.") }
        return try await running.result()
      }
      let running = RunningPurchase(wish)
      purchases[key] = running
      defer { purchases[key] = nil }
      let result: Result<PurchaseOutcome, PurchasingError>
      do throws(PurchasingError) {
        result = .success(
          try await purchasing.purchase(
            ProductIdentifier(wish.product), quantity: wish.quantity, store: wish.store, details: wish.details))
      } catch {
        result = .failure(error)
      }
      running.end(result)
      return try result.get()
    }

    /// Opens a sheet of the store's own. How it ended proves nothing: results come as transactions.
    private func sheet<Answer: Sendable>(
      _ open: () async throws(StoreFailure) -> Answer
    ) async throws(PurchasingError) -> Answer {
      do throws(StoreFailure) {
        return try await open()
      } catch {
        throw PurchasingError(.storeFailed, error.explanation, storeFailure: error)
      }
    }

    private func refund(_ order: OrderIdentifier) async throws(PurchasingError) -> String {
      switch try await sheet({ () async throws(StoreFailure) in try await StoreSheets.requestRefund(ofOrder: order) }) {
      case .sent: "sent"
      case .cancelled: "cancelled"
      case .sentBefore: "sentBefore"
      }
    }

    /// The numbers of those that no server could know, because of their form, or because the product is absent.
    private func takeOver(
      _ records: [HandedRecord], with purchasing: Purchasing
    ) async throws(PurchasingError) -> [ChannelValue] {
      var (usable, unusable): ([EarlierRecord], [ChannelValue]) = ([], [])
      for record in records {
        let earlier = EarlierRecord(
          reference: record.reference, product: StoreProductIdentifier(record.product ?? ""),
          user: UserIdentifier(record.user))
        if earlier.isUsable { usable.append(earlier) } else { unusable.append(.text(record.reference)) }
      }
      try await purchasing.takeOver(usable)
      return unusable
    }

    // MARK: the other way

    /// The token of a user, from the app's Dart code; nil if there is none.
    private func token(for wish: UserTokenRequest) async -> String? {
      guard let tokens else { return nil }
      // Dart answers once, or never: a killed engine ends no wait, and the client has its own limit.
      let (answers, continuation) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingOldest(1))
      tokens.invokeMethod("userToken", arguments: ["user": wish.user.text, "wasRefused": wish.wasRefused]) { answer in
        continuation.yield(answer as? String)
        continuation.finish()
      }
      for await answer in answers { return answer }
      return nil
    }
  }

  /// WeChat in this app.
  struct PluginWeChat: Sendable {
    let app: any WeChatApp
    let responses: WeChatResponses
    let consent: @Sendable () async -> Void

    static func make(
      _ sdk: some WeChatOpenSDK, appId: String, universalLink: String, start: AdapterStart
    ) async -> PluginWeChat {
      let app = await WeChatPayApp(
        sdk, appId: appId, universalLink: universalLink, registering: .afterConsent, start: start)
      return PluginWeChat(app: app, responses: sdk.responses) { await app.customerHasConsented() }
    }
  }

  private struct PurchaseKey: Hashable {
    let user: String?
    let product: String
  }

  /// A purchase that runs, and the taps that wait for its result.
  @MainActor private final class RunningPurchase {
    typealias Outcome = Result<PurchaseOutcome, PurchasingError>

    let wish: PurchaseRequest
    private var waiting: [AsyncStream<Outcome>.Continuation] = []

    init(_ wish: PurchaseRequest) { self.wish = wish }

    func result() async throws(PurchasingError) -> PurchaseOutcome {
      let (results, continuation) = AsyncStream.makeStream(of: Outcome.self)
      waiting.append(continuation)
      for await result in results { return try result.get() }
      throw PurchasingError(.purchaseAbandoned)
    }

    func end(_ result: Outcome) {
      for continuation in waiting {
        continuation.yield(result)
        continuation.finish()
      }
    }
  }
#endif
