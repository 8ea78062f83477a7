/// The settings of a simulator for its whole life in one process.
package struct SimulatorSettings: Sendable {
  /// The default environment of new accounts.
  package var environment: SimulatedEnvironment
  /// The keys that sign receipts, shared by many simulators; nil for its own.
  package var receiptKeys: PreparedReceiptKeys?

  /// The settings; by default accounts buy in the sandbox.
  package init(environment: SimulatedEnvironment = .sandbox, receiptKeys: PreparedReceiptKeys? = nil) {
    self.environment = environment
    self.receiptKeys = receiptKeys
  }
}
