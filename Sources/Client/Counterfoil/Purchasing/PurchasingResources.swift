import HTTPMessages
import PaymentPrimitives

/// The outside world of a client, and the actors that it shares: its parts take from it what they use.
struct PurchasingResources: Sendable {
  let configuration: PurchasingConfiguration
  let dependencies: Dependencies
  let queue: any StoreQueue
  let weChat: (any WeChatApp)?
  let server: ServerConnection
  let records: VaultRecords
  let tasks: BackgroundTasks

  init(
    _ configuration: PurchasingConfiguration, queue: any StoreQueue, vault: any Vault, exchange: HTTPExchange,
    dependencies: Dependencies, weChat: (any WeChatApp)?
  ) throws(PurchasingError) {
    self.configuration = configuration
    self.dependencies = dependencies
    self.queue = queue
    self.weChat = weChat
    server = ServerConnection(
      base: try configuration.checkedServer(), exchange: exchange, language: configuration.language,
      policies: configuration.policies)
    records = VaultRecords(
      vault: vault, app: configuration.app, log: configuration.log, now: dependencies.now)
    tasks = BackgroundTasks(dependencies)
  }
}
