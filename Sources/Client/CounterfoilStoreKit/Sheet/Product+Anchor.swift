#if canImport(StoreKit)
  import Counterfoil
  import StoreKit
  #if canImport(UIKit) && !os(watchOS)
    import UIKit
  #elseif canImport(AppKit)
    import AppKit
  #endif

  extension Product {
    /// Opens the payment sheet at the place that the app names, in the form that this system accepts.
    ///
    /// - Throws: StoreKit's errors; `StoreFailure` if the system opens no sheet without a place.
    @MainActor func purchase(
      at presenting: PurchaseAnchor.Choice, options: Set<PurchaseOption>
    ) async throws -> PurchaseResult {
      #if os(watchOS)
        return try await purchase(options: options)
      #elseif canImport(UIKit)
        let anchor = presenting()
        if case .viewController(let controller) = anchor {
          if #available(iOS 18.2, tvOS 18.2, visionOS 2.2, *) {
            return try await purchase(confirmIn: controller, options: options)
          }
          if #available(iOS 17.0, tvOS 17.0, *), let scene = controller.viewIfLoaded?.window?.windowScene {
            return try await purchase(confirmIn: scene, options: options)
          }
        }
        if #available(iOS 17.0, tvOS 17.0, *), case .scene(let scene) = anchor {
          return try await purchase(confirmIn: scene, options: options)
        }
        #if os(visionOS)
          throw StoreFailure(
            .other, explanation: "this system needs a scene for its payment sheet, and there is none")
        #else
          return try await purchase(options: options)
        #endif
      #else
        if #available(macOS 15.2, *), case .window(let window) = presenting() {
          return try await purchase(confirmIn: window, options: options)
        }
        return try await purchase(options: options)
      #endif
    }
  }
#endif
