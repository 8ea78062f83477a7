#if canImport(SwiftUI)
  public import Counterfoil
  import PaymentPrimitives
  public import SwiftUI

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  extension EnvironmentValues {
    /// What the app pays with, for views far below.
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
    /// Keeps a shop's model alive with this view: it follows events, completes what is open whenever the app comes to
    /// the foreground (a lost callback is found by that), and tells the customer what there is to tell.
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
