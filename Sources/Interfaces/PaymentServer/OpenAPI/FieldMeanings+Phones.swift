// Sorted by name: what phones report without a person, and what a phone asks about the server.
extension FieldMeanings {
  static let ofPhones: [String: String] = [
    "AppSiteAssociation.applinks": "Which paths open which app, in Apple's form.",
    "Diagnostics.counts": "What phones reported, by day and kind.",
    "Diagnostics.counts.count": "How many of that kind.",
    "Diagnostics.counts.kind": "The kind of what was counted.",
    "Diagnostics.newestGrants": "What is known of the newest grants.",
    "Diagnostics.newestGrants.examined": "How many grants were looked at.",
    "Diagnostics.newestGrants.firstHeardFrom": "How many of them were first heard of in which way.",
    "Diagnostics.newestGrants.firstHeardFrom.backend": "Those that the team's backend handed in.",
    "Diagnostics.newestGrants.firstHeardFrom.client": "Those that a phone handed in.",
    "Diagnostics.newestGrants.firstHeardFrom.notification": "Those that a store's notification told.",
    "Diagnostics.newestGrants.firstHeardFrom.operator": "Those that an operator decided.",
    "Diagnostics.newestGrants.firstHeardFrom.storeAnswer": "Those that the server learned by asking the store.",
    "Diagnostics.newestGrants.purchaseToGrantMilliseconds": "The time from the purchase to the grant, in milliseconds.",
    "Diagnostics.newestGrants.purchaseToGrantMilliseconds.longest": "The longest time.",
    "Diagnostics.newestGrants.purchaseToGrantMilliseconds.median": "The time that half of them did not exceed.",
    "Diagnostics.newestGrants.purchaseToGrantMilliseconds.within95Percent":
      "The time that 95 percent of them did not exceed.",
    "DiagnosticsTaken.counted": "Whether the report was counted; false for one that is known already.",
    "ReportDiagnostics.counts": "How many of each kind since the last report.",
    "ReportDiagnostics.counts.finishDidNotStick": "Transactions that the store showed again after they were finished.",
    "ReportDiagnostics.counts.lostCallback": "Payments whose callback never came.",
    "ReportDiagnostics.counts.orphan": "Transactions without an order on the phone.",
    "ReportDiagnostics.counts.recovered": "Grants that came without a sheet in that run of the app.",
  ]
}
