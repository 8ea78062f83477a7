import PaymentPrimitives

extension Purchasing {
  /// The entitlements of the signed-in user now. Each call asks the server: the device keeps no copy, so that an old
  /// answer never looks like a new one. An app that wants to work offline stores the answer and its age itself.
  ///
  /// - Throws: `PurchasingError` with `notRunning`, `notSignedIn`, `userTokenUnavailable`, `userDiffers` (another user
  ///   signed in meanwhile), `serverUnreachable` or `serverRefused`. None of them means that the user has no
  ///   entitlement.
  public func entitlements() async throws(PurchasingError) -> [Entitlement] {
    let server = self.server
    return try await askOfUser { await server.entitlements(as: $0) }
  }

  /// The balances of the signed-in user, one per unit; a unit that the user never had is not listed. Like
  /// `entitlements`, each call asks the server.
  ///
  /// - Throws: as `entitlements`. None of its errors means that the user has nothing.
  public func balances() async throws(PurchasingError) -> [Balance] {
    let server = self.server
    return try await askOfUser { await server.balances(as: $0) }
  }

  /// Asks the server about the signed-in user. An answer that comes after a sign-out is not used for the next user.
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
