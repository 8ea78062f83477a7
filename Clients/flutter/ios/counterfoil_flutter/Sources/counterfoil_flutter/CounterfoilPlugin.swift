#if canImport(Flutter)
  import CounterfoilApp
  public import CounterfoilWeChat
  public import Flutter
  public import Foundation
  public import UIKit

  /// The iOS half of `counterfoil_flutter`: it translates, and decides nothing.
  ///
  /// Flutter makes one for each engine. All of them share the client of the process. Flutter's protocols are not
  /// isolated, and Flutter calls them on the main thread.
  @MainActor public final class CounterfoilPlugin: NSObject {
    static let callsName = "counterfoil_flutter"
    static let eventsName = "counterfoil_flutter/events"

    private let process: PluginProcess
    private let calls: FlutterMethodChannel
    private let events: FlutterEventChannel
    private let results = PendingResults()
    /// Each listening has a number: one that was cancelled must not send any more.
    private var listening = 0
    private var sink: FlutterEventSink?

    init(_ process: PluginProcess, messenger: any FlutterBinaryMessenger) {
      self.process = process
      calls = FlutterMethodChannel(name: Self.callsName, binaryMessenger: messenger)
      events = FlutterEventChannel(name: Self.eventsName, binaryMessenger: messenger)
      super.init()
    }

    /// Hands in WeChat's OpenSDK, for physical goods alone: Apple forbids WeChat Pay for virtual ones. Call it in the
    /// app's delegate, before Dart runs. fluwx may own the links and their callbacks: then pass on what it hears, by
    /// `weChatResponded`.
    public static func useWeChat(_ sdk: some WeChatOpenSDK) { PluginProcess.ofThisApp.useWeChat(sdk) }

    package static func attach(_ process: PluginProcess, to registrar: any FlutterPluginRegistrar) -> CounterfoilPlugin
    {
      let plugin = CounterfoilPlugin(process, messenger: registrar.messenger())
      registrar.addMethodCallDelegate(plugin, channel: plugin.calls)
      registrar.addApplicationDelegate(plugin)
      plugin.events.setStreamHandler(plugin)
      process.answersForTokens(plugin.calls)
      return plugin
    }

    // MARK: calls

    private func answer(_ number: Int, _ request: ChannelRequest) async {
      do throws(PurchasingError) {
        results.succeed(number, with: try await process.answer(request))
      } catch {
        results.fail(number, with: process.error(error))
      }
    }

    // MARK: events

    private func listen(_ number: Int) async {
      guard let client = process.client else {
        sink?(process.error(PurchasingError(.notRunning, "Call Counterfoil.start first.")))
        sink?(FlutterEndOfEventStream)
        return
      }
      for await event in await client.purchasing.events() {
        guard number == listening, let sink else { return }
        sink(client.messages.event(event))
      }
    }
  }

  extension CounterfoilPlugin: @MainActor FlutterPlugin {
    public static func register(with registrar: any FlutterPluginRegistrar) {
      _ = attach(PluginProcess.ofThisApp, to: registrar)
    }

    public func handle(_ call: FlutterMethodCall, result: @escaping FlutterResult) {
      let request: ChannelRequest
      do throws(PurchasingError) {
        guard let read = try ChannelRequest(call) else { return result(FlutterMethodNotImplemented) }
        request = read
      } catch {
        return result(process.error(error))
      }
      let number = results.add(result)
      process.start.start { await self.answer(number, request) }
    }

    public func detachFromEngine(for registrar: any FlutterPluginRegistrar) {
      calls.setMethodCallHandler(nil)
      events.setStreamHandler(nil)
      process.tokensEnd(of: calls)
      (sink, listening) = (nil, listening + 1)
    }

    /// The return to the foreground ends the wait for a callback. Dart needs no `WidgetsBindingObserver`.
    public func applicationWillEnterForeground(_ application: UIApplication) { process.cameToForeground() }
  }

  extension CounterfoilPlugin: @MainActor FlutterStreamHandler {
    public func onListen(
      withArguments arguments: Any?, eventSink events: @escaping FlutterEventSink
    ) -> FlutterError? {
      (sink, listening) = (events, listening + 1)
      let number = listening
      process.start.start { await self.listen(number) }
      return nil
    }

    public func onCancel(withArguments arguments: Any?) -> FlutterError? {
      (sink, listening) = (nil, listening + 1)
      return nil
    }
  }

  /// The calls of Dart that have no answer yet.
  @MainActor private final class PendingResults {
    private var results: [Int: FlutterResult] = [:]
    private var last = 0

    func add(_ result: @escaping FlutterResult) -> Int {
      last += 1
      results[last] = result
      return last
    }

    func succeed(_ number: Int, with value: ChannelValue) { results.removeValue(forKey: number)?(value.any) }
    func fail(_ number: Int, with error: FlutterError) { results.removeValue(forKey: number)?(error) }
  }
#endif
