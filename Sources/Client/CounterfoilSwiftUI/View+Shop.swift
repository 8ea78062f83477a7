#if canImport(SwiftUI)
  public import Counterfoil
  import PaymentPrimitives
  public import SwiftUI

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  extension EnvironmentValues {
    /// The payment service of the app, for nested views.
    public var paymentService: (any PaymentService)? {
      get { self[PaymentServiceKey.self] }
      set { self[PaymentServiceKey.self] = newValue }
    }
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  private struct PaymentServiceKey: EnvironmentKey {
    static let defaultValue: (any PaymentService)? = nil
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  extension View {
    /// Keeps a shop's model running with this view. It follows events and shows texts to the customer. Whenever the
    /// app comes to the foreground it completes open purchases, which also finds a lost callback.
    public func shop(_ shop: ShopModel) -> some View { modifier(ShopPresence(shop: shop)) }
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  private struct ShopPresence: ViewModifier {
    let shop: ShopModel
    @Environment(\.scenePhase) private var scenePhase

    func body(content: Content) -> some View {
      content
        .task { await shop.run() }
        .onChange(of: scenePhase) { _, phase in
          if phase == .active { Task { await shop.recover(.foreground) } }
        }
        .alert(
          shop.notice?.text ?? "",
          isPresented: Binding(get: { shop.notice != nil }, set: { if !$0 { shop.dismiss() } })
        ) {
          Button("OK") { shop.dismiss() }
        } message: {
          if let order = shop.notice?.order { Text(verbatim: order.appAccountToken) }
        }
    }
  }
#endif
