#if canImport(StoreKit)
  #if canImport(UIKit) && !os(watchOS)
    import Foundation
    public import UIKit
  #elseif canImport(AppKit)
    public import AppKit
  #endif

  /// The place in the app where the payment sheet opens. Since iOS 18.2 StoreKit may open no sheet without it, and
  /// then reports that the customer cancelled.
  ///
  /// A watch has one screen, so it needs no place.
  public enum PurchaseAnchor: Sendable {
    /// Chooses the place for a payment that is about to begin; nil leaves it to the system.
    public typealias Choice = @MainActor @Sendable () -> PurchaseAnchor?

    #if canImport(UIKit) && !os(watchOS)
      /// At this controller. Its view must be in a window; before iOS 18.2 the sheet opens in the scene of that
      /// window.
      case viewController(UIViewController)
      /// In this scene.
      case scene(UIScene)
    #elseif canImport(AppKit)
      /// At this window.
      case window(NSWindow)
    #endif
  }

  extension PurchaseAnchor {
    #if canImport(UIKit) && !os(watchOS)
      /// The topmost controller of the scene that the customer uses. It is nil while the app shows nothing, and in an
      /// extension, which must name the place itself.
      @MainActor public static func found() -> PurchaseAnchor? {
        // An extension has no application, and asking for it ends the process.
        guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return nil }
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        let active = scenes.filter { $0.activationState == .foregroundActive }
        let usable = active.isEmpty ? scenes.filter { $0.activationState == .foregroundInactive } : active
        // Of several on one screen, the one with the key window.
        guard let scene = usable.first(where: { $0.keyWindow != nil }) ?? usable.first else { return nil }
        let window = scene.keyWindow ?? scene.windows.first { !$0.isHidden }
        guard let root = window?.rootViewController, let top = topmost(over: root) else { return .scene(scene) }
        return .viewController(top)
      }

      /// The topmost visible controller above a controller; nil if none is visible.
      @MainActor private static func topmost(over root: UIViewController) -> UIViewController? {
        var top = root
        // An app does not present a hundred controllers on top of each other.
        for _ in 0..<100 {
          guard let next = top.presentedViewController, !next.isBeingDismissed else { break }
          top = next
        }
        return top.viewIfLoaded?.window == nil ? nil : top
      }
    #elseif canImport(AppKit)
      /// The window that the customer uses; nil while the app shows none.
      @MainActor public static func found() -> PurchaseAnchor? {
        let application = NSApplication.shared
        let window = application.keyWindow ?? application.mainWindow ?? application.windows.first { $0.isVisible }
        return window.map { .window($0) }
      }
    #else
      /// Always nil: a watch needs no place.
      @MainActor public static func found() -> PurchaseAnchor? { nil }
    #endif
  }
#endif
