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
    /// Keeps a shop's model running with this view. It follows events and shows texts to the customer, in the window
    /// that the customer used last. When the app comes from the background it completes open purchases, which also
    /// finds a lost callback.
    public func shop(_ shop: ShopModel) -> some View { modifier(ShopPresence(shop: shop)) }
  }

  @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
  private struct ShopPresence: ViewModifier {
    let shop: ShopModel
    @State private var window = ShopWindow()
    @Environment(\.scenePhase) private var scenePhase

    func body(content: Content) -> some View {
      content
        .task {
          shop.page.show(in: window)
          await shop.run()
          shop.page.close(window)
        }
        .onChange(of: scenePhase) { _, phase in
          switch phase {
          case .background: shop.wentToBackground()
          case .active:
            shop.page.show(in: window)
            #if os(macOS)
              // A Mac's app has no background: the client's own pause bounds the recoveries.
              shop.wentToBackground()
            #endif
            Task { await shop.becameActive() }
          default: break
          }
        }
        .alert(
          shop.notice?.text ?? "",
          isPresented: Binding(
            get: { shop.notice != nil && shop.page.showsTexts(in: window) }, set: { if !$0 { shop.dismiss() } })
        ) {
          Button("OK") { shop.dismiss() }
        } message: {
          if let order = shop.notice?.order { Text(verbatim: order.appAccountToken) }
        }
    }
  }
#endif
