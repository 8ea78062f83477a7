public import Foundation
public import UIKit

/// Stand-in for Flutter's protocol of the same name: the object that belongs to one engine.
public protocol FlutterPluginRegistrar: NSObjectProtocol {
  func messenger() -> any FlutterBinaryMessenger
  func addMethodCallDelegate(_ delegate: any FlutterPlugin, channel: FlutterMethodChannel)
  func addApplicationDelegate(_ delegate: any FlutterPlugin)
}

/// Stand-in for Flutter's protocol of the same name.
public protocol FlutterPlugin: NSObjectProtocol {
  static func register(with registrar: any FlutterPluginRegistrar)
  func handle(_ call: FlutterMethodCall, result: @escaping FlutterResult)
  func detachFromEngine(for registrar: any FlutterPluginRegistrar)
  func applicationWillEnterForeground(_ application: UIApplication)
}

// Optional requirements of Flutter's protocol.
extension FlutterPlugin {
  public func handle(_ call: FlutterMethodCall, result: @escaping FlutterResult) {}
  public func detachFromEngine(for registrar: any FlutterPluginRegistrar) {}
  public func applicationWillEnterForeground(_ application: UIApplication) {}
}
