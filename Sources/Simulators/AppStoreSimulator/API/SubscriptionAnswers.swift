import AppStoreProtocol
import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The answer of the App Store Server API about a customer's subscriptions.
struct SubscriptionAnswers {
  let call: APICall
  let snapshot: AppStoreSnapshot

  /// The customer's subscriptions by group, each with its latest transaction (rule AS-API-10).
  func statuses() throws(AppStoreAPIProblem) -> HTTPResponse {
    let state = snapshot.state
    let owner = try call.owner(in: state)
    var wanted: Set<Status> = []
    for text in call.values("status") {
      guard let status = Int64(text).flatMap(Status.init(rawValue:)) else {
        throw .badRequest(4_000_031, "Invalid request. Status is invalid.")
      }
      wanted.insert(status)
    }
    var groups: [(id: String, items: [JSONValue])] = []
    for id in state.transactionsByOwner[owner] ?? [] {
      guard let subscription = state.subscriptions[id], subscription.owner == owner, subscription.id == id else {
        continue
      }
      let (status, renewalInfo): (Status, String)
      do { (status, renewalInfo) = try snapshot.signedRenewalInfo(id) } catch { throw .generalInternal }
      guard wanted.isEmpty || wanted.contains(status) else { continue }
      let item = JSONValue.members([
        ("originalTransactionId", .string(id.text)), ("status", .integer(status.rawValue)),
        ("signedTransactionInfo", try snapshot.signedForServer(subscription.latest)),
        ("signedRenewalInfo", .string(renewalInfo)),
      ])
      if let index = groups.firstIndex(where: { $0.id == subscription.group }) {
        groups[index].items.append(item)
      } else {
        groups.append((subscription.group, [item]))
      }
    }
    let data = groups.map {
      JSONValue.members([("subscriptionGroupIdentifier", .string($0.id)), ("lastTransactions", .array($0.items))])
    }
    return HTTPResponse(status: 200, json: .members(call.heading + [("data", .array(data))]))
  }
}
