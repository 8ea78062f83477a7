/// The parts that submit transactions to the server and handle its verdicts.
struct SubmissionParts {
  let earlier: EarlierPurchases
  let retries: SubmissionRetries
  let finishing: StoreFinishing
  let earlierSales: EarlierSales
  let transactions: TransactionSubmission

  init(_ resources: PurchasingResources, _ state: PurchasingState) {
    let configuration = resources.configuration
    earlier = EarlierPurchases(resources, state)
    retries = SubmissionRetries(
      pauses: configuration.policies.verificationPauses, dependencies: resources.dependencies,
      tasks: resources.tasks, states: state.submissions)
    finishing = StoreFinishing(resources, state)
    earlierSales = EarlierSales(
      tasks: resources.tasks, log: state.log, records: resources.records, orders: state.orders,
      flows: state.flows, sheets: state.sheets)
    let requests = SubmissionRequests(
      app: configuration.app, dependencies: resources.dependencies, log: state.log, store: state.store,
      records: resources.records, orders: state.orders, sheets: state.sheets, states: state.submissions,
      earlier: earlier)
    let verdicts = Verdicts(
      log: state.log, records: resources.records, orders: state.orders, events: state.events,
      flows: state.flows, sheets: state.sheets, states: state.submissions, retries: retries,
      finishing: finishing, earlier: earlier, earlierSales: earlierSales)
    transactions = TransactionSubmission(
      publishableKey: configuration.publishableKey, server: resources.server, log: state.log,
      session: state.session, records: resources.records, orders: state.orders, events: state.events,
      sheets: state.sheets, states: state.submissions, requests: requests, retries: retries,
      verdicts: verdicts, finishing: finishing,
      places: AsyncSemaphore(places: max(1, configuration.policies.submissionsAtOnce)))
  }
}
