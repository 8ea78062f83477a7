import SimulatedDevice

/// Stand-in for Apple's class of the same name. A process begins with one window on the screen.
@MainActor public final class UIApplication {
  /// Handle 0 is the queue of StoreKit 1.
  private nonisolated static let handle = -1

  public nonisolated static var shared: UIApplication { AppRun.here.object(for: handle) { UIApplication() } }

  /// Nil until the first read: main-thread objects are created on the main thread.
  private var scenes: Set<UIScene>?

  nonisolated init() {}

  public var connectedScenes: Set<UIScene> {
    get {
      if let scenes { return scenes }
      let scene = UIWindowScene()
      _ = UIWindow(in: scene, rootViewController: UIViewController())
      scenes = [scene]
      return [scene]
    }
    set { scenes = newValue }
  }
}

/// Stand-in for Apple's class of the same name.
@MainActor open class UIScene: Hashable {
  /// Stand-in for Apple's enumeration of the same name.
  public enum ActivationState: Int, Sendable {
    case unattached = -1
    case foregroundActive = 0
    case foregroundInactive = 1
    case background = 2
  }

  public var activationState = ActivationState.foregroundActive

  public nonisolated init() {}

  public nonisolated static func == (a: UIScene, b: UIScene) -> Bool { a === b }
  public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Stand-in for Apple's class of the same name: the screen on which a sheet opens.
public final class UIWindowScene: UIScene {
  public fileprivate(set) var windows: [UIWindow] = []
  public var keyWindow: UIWindow? { windows.first { $0.isKeyWindow } }
}

/// Stand-in for Apple's class of the same name.
@MainActor open class UIView {
  public internal(set) weak var window: UIWindow?

  public nonisolated init() {}
}

/// Stand-in for Apple's class of the same name.
public final class UIWindow: UIView {
  public private(set) weak var windowScene: UIWindowScene?
  public var rootViewController: UIViewController? { didSet { rootViewController?.view.window = self } }
  public var isKeyWindow = false
  public var isHidden = false

  /// Creates the window and makes it the scene's key window.
  public init(in scene: UIWindowScene, rootViewController: UIViewController) {
    super.init()
    windowScene = scene
    for window in scene.windows { window.isKeyWindow = false }
    isKeyWindow = true
    self.rootViewController = rootViewController
    rootViewController.view.window = self
    scene.windows.append(self)
  }
}

/// Stand-in for Apple's enumeration of the same name.
public enum UIModalPresentationStyle: Int, Sendable {
  case fullScreen = 0
  case pageSheet = 1
}

/// Stand-in for Apple's class of the same name.
@MainActor open class UIViewController {
  public let view = UIView()
  public var viewIfLoaded: UIView? { view }
  public var modalPresentationStyle = UIModalPresentationStyle.pageSheet
  public private(set) var presentedViewController: UIViewController?
  public private(set) var isBeingDismissed = false

  public nonisolated init() {}

  /// A full-screen controller takes the view below it out of the window.
  open func present(_ controller: UIViewController, animated: Bool) {
    presentedViewController = controller
    controller.view.window = view.window
    if controller.modalPresentationStyle == .fullScreen { view.window = nil }
  }

  /// Begins the dismissal; nothing opens over this controller any more.
  public func beginDismissal() {
    isBeingDismissed = true
    view.window = nil
  }
}
