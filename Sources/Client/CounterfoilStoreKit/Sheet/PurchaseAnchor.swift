#if canImport(StoreKit)
  #if canImport(UIKit) && !os(watchOS)
    import Foundation
    public import UIKit
  #elseif canImport(AppKit)
    public import AppKit
  #endif

  /// Where in the app the payment sheet opens. Since iOS 18.2 StoreKit may open none where it is not told, and says
  /// then that the customer cancelled.
  ///
  /// A watch has one screen, so there is nothing to say.
  public enum PurchaseAnchor: Sendable {
    /// Says it for a payment that is about to begin; nil leaves it to the system.
    public typealias Choice = @MainActor @Sendable () -> PurchaseAnchor?

    #if canImport(UIKit) && !os(watchOS)
      /// At this controller, whose view must be in a window; before iOS 18.2 in the scene of that window.
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
      /// The topmost controller of the scene that the customer uses; nil while the app shows nothing, and in an
      /// extension, which must say itself where its sheet opens.
      @MainActor public static func found() -> PurchaseAnchor? {
        // There is no application in an extension, and asking for it ends the process.
        guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return nil }
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        let active = scenes.filter { $0.activationState == .foregroundActive }
        let usable = active.isEmpty ? scenes.filter { $0.activationState == .foregroundInactive } : active
        // Of several on one screen the one with the key window.
        guard let scene = usable.first(where: { $0.keyWindow != nil }) ?? usable.first else { return nil }
        let window = scene.keyWindow ?? scene.windows.first { !$0.isHidden }
        guard let root = window?.rootViewController, let top = topmost(over: root) else { return .scene(scene) }
        return .viewController(top)
      }

      /// What lies uppermost over a controller and is on the screen; nil when nothing is.
      @MainActor private static func topmost(over root: UIViewController) -> UIViewController? {
        var top = root
        // Nobody presents controllers a hundred deep.
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
      /// None is needed.
      @MainActor public static func found() -> PurchaseAnchor? { nil }
    #endif
  }
#endif
