import PaymentPrimitives

extension Purchasing {
  /// What the signed-in user has a right to now. The server is asked each time: nothing of it is kept on the device, so
  /// that no old word passes for a new one. An app that wants to go on offline keeps the answer itself, and how old it
  /// is.
  ///
  /// - Throws: `PurchasingError` with `notRunning`, `notSignedIn`, `userTokenUnavailable`, `userDiffers` (somebody else
  ///   signed in meanwhile), `serverUnreachable` or `serverRefused`. None of them says that he has no right.
  public func entitlements() async throws(PurchasingError) -> [Entitlement] {
    let server = self.server
    return try await askOfUser { await server.entitlements(as: $0) }
  }

  /// How many units the signed-in user has of each kind; what he never had is not listed. Like `entitlements`, it asks
  /// the server each time.
  ///
  /// - Throws: as `entitlements`. None of its errors says that he has nothing.
  public func balances() async throws(PurchasingError) -> [Balance] {
    let server = self.server
    return try await askOfUser { await server.balances(as: $0) }
  }

  /// Asks the server something about the signed-in user. An answer that comes after he has gone is not for the next.
  private func askOfUser<Value: Sendable>(
    _ call: (ServerConnection.Credential) async -> ServerReply<Value>
  ) async throws(PurchasingError) -> Value {
    guard await hasStarted() else { throw PurchasingError(.notRunning, "Call `start()` first.") }
    guard let user else { throw PurchasingError(.notSignedIn, "Call `setUser(_:)` first.") }
    let value = try await askWhileCustomerLooks(user, call)
    guard self.user == user else {
      throw PurchasingError(.userDiffers, "Another user signed in while the server was asked.")
    }
    return value
  }
}
