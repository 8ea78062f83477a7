import SimulatedDevice

/// Stand-in for Apple's class of the same name.
public final class SKReceiptRefreshRequest: SKRequest {
  public weak var delegate: (any SKRequestDelegate)?

  /// Succeeds while the App Store can be reached (rule SK1-28).
  public override func start() {
    let run = theRun()
    guard let delegate else { return }
    run.start { [weak delegate] in
      let answer = await run.device.storeKit2.products([])
      guard let delegate, let answer else { return }
      let request = SKReceiptRefreshRequest()
      switch answer {
      case .success: delegate.requestDidFinish(request)
      case .failure(let failure): delegate.request(request, didFailWithError: SKError(failure))
      }
    }
  }
}
