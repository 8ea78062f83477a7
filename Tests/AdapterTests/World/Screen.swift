import CounterfoilStoreKit
import UIKit

/// What an app shows. It stands apart from the tests: with `Testing` in one file, UIKit would ask for an overlay that
/// Apple's toolchain alone has.
enum Screen {
  /// A scene of its own, in the foreground.
  static func newScene() -> UIWindowScene { UIWindowScene() }

  /// Something covers the whole screen, and something else is just leaving it.
  @MainActor static func coverAll() {
    let cover = UIViewController()
    cover.modalPresentationStyle = .fullScreen
    let scene = UIApplication.shared.connectedScenes.first as? UIWindowScene
    scene?.keyWindow?.rootViewController?.present(cover, animated: false)
    let leaving = UIViewController()
    cover.present(leaving, animated: false)
    leaving.beginDismissal()
  }

  /// Whether the sheet would open over what covers the screen and stays there.
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
