import CounterfoilStoreKit
import UIKit

/// What an app shows. It is in a file of its own: in a file that imports `Testing`, UIKit needs an overlay that only
/// Apple's toolchain has.
enum Screen {
  /// A scene of its own, in the foreground.
  static func newScene() -> UIWindowScene { UIWindowScene() }

  /// One view covers the whole screen, and another one is being dismissed.
  @MainActor static func coverAll() {
    let cover = UIViewController()
    cover.modalPresentationStyle = .fullScreen
    let scene = UIApplication.shared.connectedScenes.first as? UIWindowScene
    scene?.keyWindow?.rootViewController?.present(cover, animated: false)
    let leaving = UIViewController()
    cover.present(leaving, animated: false)
    leaving.beginDismissal()
  }

  /// Whether the sheet would open over the view that covers the screen and stays there.
  @MainActor static func findsTheCover() -> Bool {
    let scene = UIApplication.shared.connectedScenes.first as? UIWindowScene
    guard case .viewController(let found)? = PurchaseAnchor.found() else { return false }
    return found === scene?.keyWindow?.rootViewController?.presentedViewController
  }

  /// The customer goes on in a second window.
  @MainActor static func useSecondScene() {
    leaveForeground()
    let used = UIWindowScene()
    _ = UIWindow(in: used, rootViewController: UIViewController())
    UIApplication.shared.connectedScenes.insert(used)
  }

  /// The app shows nothing.
  @MainActor static func leaveForeground() {
    for scene in UIApplication.shared.connectedScenes { scene.activationState = .background }
  }

  /// The app has no scene that could be found.
  @MainActor static func hideAll() { UIApplication.shared.connectedScenes = [] }
}
