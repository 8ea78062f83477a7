#if canImport(SwiftUI)
  import Counterfoil
  import CounterfoilSwiftUI
  import CounterfoilStoreKit
  import CounterfoilURLSession
  import Foundation
  import PaymentPrimitives
  public import SwiftUI
  #if canImport(FoundationNetworking)
    // For systems other than Apple's, where this file is compiled and never run.
    import FoundationNetworking
  #endif

  /// The app. In Xcode, put `@main` before it: here it is part of a library, so that the package builds.
  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  public struct ShopApp: App {
    private let purchasing: Purchasing?
    private let shop: Shop?
    private let language: Language

    /// Runs at launch, before any view: the client listens from here on.
    public init() {
      let language: Language = Locale.preferredLanguages.first?.hasPrefix("zh") == true ? .chinese : .english
      self.language = language
      let configuration = Shop.configuration(server: "https://pay.example.com", language: language) { wish in
        try await Backend.userToken(for: wish.user)
      }
      // It throws only for a mistake in the configuration; the page says so.
      purchasing = try? Purchasing(
        configuration, queue: StoreKit2Queue(dependencies: .ofThisDevice), vault: KeychainVault(),
        exchange: .urlSession(), dependencies: .ofThisDevice)
      shop = purchasing.map { Shop($0, language: language) }
    }

    public var body: some Scene {
      WindowGroup {
        if let shop, let purchasing {
          ShopPage(model: shop.model, purchasing: purchasing, language: language).shop(shop.model).task {
            await purchasing.start()
            await purchasing.setUser(await Backend.signedInUser())
            await shop.model.readRights()
          }
        } else {
          Text("The configuration of purchases is wrong.")
        }
      }
    }
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  private struct ShopPage: View {
    let model: ShopModel
    let purchasing: Purchasing
    let language: Language
    @State private var items = Shop.items
    @State private var showsOrders = false

    var body: some View {
      NavigationStack {
        List {
          Section {
            ForEach(Shop.belongings(model.rights, language: language), id: \.self) { Text(verbatim: $0) }
          }
          ForEach(items) { item in
            PayButton(item.id, title: item.title, price: item.price, in: model)
          }
        }
        .task(id: model.grants) { await model.readRights() }
        .toolbar {
          Button("Orders") { showsOrders = true }
          Button("Restore") { Task { await model.restore() } }
        }
        .sheet(isPresented: $showsOrders) { OpenOrdersSheet(model) }
        .task {
          items = Shop.items(priced: await purchasing.storeProducts(Shop.items.map(\.storeProduct)))
        }
      }
    }
  }

  /// The team's own backend. It knows the signed-in user, and signs the user's token with the key that it shares with
  /// the payment server; the app holds no secret.
  private enum Backend {
    static func signedInUser() async -> UserIdentifier? {
      UserDefaults.standard.string(forKey: "user").map { UserIdentifier($0) }
    }

    static func userToken(for user: UserIdentifier) async throws -> String {
      guard let url = URL(string: "https://api.example.com/payment-token") else { throw URLError(.badURL) }
      let (data, _) = try await URLSession.shared.data(from: url)
      return String(decoding: data, as: UTF8.self)
    }
  }
#endif
