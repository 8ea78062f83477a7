package import AppStoreSimulator
package import PaymentPrimitives

/// A phone with one app on it, as far as payments see it: Apple's queues, its customer, its Keychain, its links. It
/// outlives every process of the app (rule DEV-1). `docs/reference/device-model.md` lists its rules.
///
/// It decides nothing about money: the simulated App Store makes the charges, and the device shows only what the App
/// Store signs.
package final class Device: Sendable {
  package let name: String
  /// The device's own UUID; the App Store binds device verification to it.
  package let identifier: AppStoreUUID
  package let appleLink = NetworkLink()
  package let serverLink = NetworkLink()
  package let keychain = Keychain()
  package let files = DeviceFiles()
  package let messages = DeviceMessages()
  package let storeKit1: StoreKit1Calls
  package let storeKit2: StoreKit2Calls
  package let appStoreSheets: AppStoreSheets
  let queues: TransactionQueues
  let refresh: QueueRefresh
  private let tasks: SystemTasks
  private let settings: DeviceSettings
  private let store: AppStoreAccess
  private let paymentSheets: PaymentSheets

  /// A new device in the same process as the App Store, signed in to an Apple account.
  ///
  /// - Parameters:
  ///   - store: where it buys.
  ///   - bundleId: the app on the device.
  package convenience init(
    _ name: String, account: AppleAccount, at store: SimulatedAppStore, bundleId: String,
    dependencies: Dependencies
  ) {
    let link = DirectAppStoreLink(store)
    self.init(name, account: account, over: link, approvals: link, bundleId: bundleId, dependencies: dependencies)
  }

  /// A new device, signed in to an Apple account.
  ///
  /// - Parameters:
  ///   - link: how it reaches the App Store; each call passes `appleLink` first.
  ///   - approvals: how Apple's servers reach the App Store when a parent approves a purchase.
  ///   - bundleId: the app on the device.
  package init(
    _ name: String, account: AppleAccount, over link: any AppStoreLink, approvals: any AppStoreLink,
    bundleId: String, dependencies: Dependencies
  ) {
    self.name = name
    identifier = AppStoreUUID(dependencies.makeOrderIdentifier())
    let settings = DeviceSettings(account: account)
    let tasks = SystemTasks(dependencies)
    let store = AppStoreAccess(
      identifier: identifier, bundleId: bundleId, link: link, appleLink: appleLink, approvals: approvals,
      settings: settings)
    let queues = TransactionQueues(settings)
    let sheets = PaymentSheets(dependencies: dependencies, settings: settings, store: store)
    let refresh = QueueRefresh(tasks: tasks, settings: settings, store: store, queues: queues)
    let delayed = DelayedPayments(
      dependencies: dependencies, tasks: tasks, settings: settings, store: store, queues: queues)
    storeKit1 = StoreKit1Calls(
      tasks: tasks, settings: settings, store: store, queues: queues, sheets: sheets, delayed: delayed)
    storeKit2 = StoreKit2Calls(
      dependencies: dependencies, tasks: tasks, settings: settings, store: store, queues: queues, sheets: sheets,
      delayed: delayed, queueRefresh: refresh)
    appStoreSheets = AppStoreSheets(
      dependencies: dependencies, tasks: tasks, settings: settings, store: store, queues: queues)
    (self.queues, self.refresh, self.tasks) = (queues, refresh, tasks)
    (self.settings, self.store, paymentSheets) = (settings, store, sheets)
  }

  /// Runs the system's own work, in a separate process: it continues while the app is ended. Without it nothing
  /// happens.
  package func run() async { await tasks.run() }

  // MARK: the app

  /// Starts the app; an earlier process of it ends. That loses the user names (rule SK1-9) and the payments without a
  /// password (rule DEV-3).
  ///
  /// - Parameter enter: starts a job in the new process.
  package func launch(
    enter: @escaping @Sendable (@escaping @Sendable () async -> Void) -> Void
  ) -> AppRun {
    queues.launch { number in AppRun(self, number: number, enter: enter) }
  }

  package var currentRun: AppRun? { queues.currentRun }

  /// The app comes to the foreground: the device asks Apple for changes (rules SK1-7, SK1-15).
  package func comeToForeground() { refresh.appCameToForeground() }

  /// Removes the app and its files; the Keychain and the unfinished transactions stay (rules DEV-2, SK1-23).
  package func uninstall() {
    currentRun?.end()
    files.removeAll()
    queues.removeApp()
  }

  // MARK: the customer

  package var behaviours: DeviceBehaviours {
    get { settings.behaviours }
    set { settings.behaviours = newValue }
  }

  /// The customer's App Store moves to another country, which does not sell these products (rule SK2-30).
  package func move(to country: String, without unsold: Set<StoreProductIdentifier> = []) {
    behaviours.country = country
    behaviours.unsold = unsold
    currentRun?.tellCountry(country)
  }

  /// Sets what the customer does with the next sheets; the customer agrees to sheets without an answer.
  package func nextAnswers(_ answers: CustomerAnswer...) { paymentSheets.nextAnswers(answers) }

  /// The Apple account that is signed in.
  package var account: AppleAccount { settings.account }

  /// Signs another Apple account in; the queue keeps the entries of the earlier one (rule SK1-22).
  package func signIn(_ account: AppleAccount) { settings.account = account }

  /// Every payment for which a sheet was opened.
  package var sheets: [DevicePayment] { paymentSheets.payments }

  /// Whether a payment sheet is open.
  package var isInSheet: Bool { paymentSheets.isOpen }

  /// The queue of StoreKit 1.
  package var entries: [QueueEntry] { queues.entries }

  /// Charges that this device requested and got, whether the app was told or not.
  package var charges: [TransactionIdentifier] { store.charges }

  /// Finishes that the app requested, in order.
  package var finishes: [TransactionIdentifier] { queues.finishes }

  /// The customer taps a promoted product in the App Store, perhaps with a win-back offer; the app is told (rules
  /// SK1-21, SK2-19).
  package func promote(_ product: StoreProductIdentifier, winBack offer: String? = nil) {
    var payment = DevicePayment(product: product, quantity: 1, userName: nil)
    payment.offer = offer
    currentRun?.intend(payment)
  }
}
