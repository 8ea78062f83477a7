import HTTPMessages
import PaymentPrimitives
import StrictJSON

/// The last requests to the API, and how many there were.
///
/// It belongs to the actor of WeChat Pay: all its calls run there.
final class ExchangeJournal {
  /// Oldest first.
  private(set) var notes: [WeChatPayExchangeNote] = []
  private(set) var requestCount: Int64 = 0

  func forget() { notes = [] }

  func countRequest() { requestCount += 1 }

  func note(_ answer: WeChatPayAnswer, to request: HTTPRequest, target: String, at now: Timestamp) {
    var status: Int?
    var code: String?
    if case .response(let response, _) = answer {
      status = response.status
      if status != 200, status != 204 { code = (try? JSONReader.read(response.body))?["code"]?.string }
    }
    if notes.count >= WeChatPaySimulatorLimits.journalMax {
      notes.removeFirst(notes.count - WeChatPaySimulatorLimits.journalMax + 1)
    }
    notes.append(
      WeChatPayExchangeNote(
        date: now, method: request.method, target: String(target.prefix(512)),
        body: String(decoding: request.body.prefix(4096), as: UTF8.self),
        authorization: request.fields["Authorization"], status: status, code: code))
  }
}
