import PaymentEngine
import PaymentPrimitives
import StrictJSON
import WeChatPayProtocol

/// The schemas of complaints at WeChat Pay, and what their fields mean.
enum ComplaintSchemas {
  static let requests: [(String, JSONValue?)] = [
    (
      "AnswerComplaint",
      Schemas.object(
        required: ["text", "talk", "reason"],
        [("text", Schemas.text(1...800)), ("talk", Schemas.text(1...32)), ("reason", Schemas.text(1...1024))])
    ),
    ("CompleteComplaint", Schemas.object(required: ["reason"], [("reason", Schemas.text(1...1024))])),
  ]

  static let answers: [(String, JSONValue?)] = [
    ("Complaint", Schemas.object(required: required, members)),
    (
      "Complaints",
      Schemas.object(
        required: ["complaints"],
        [
          ("complaints", Schemas.list(Schemas.reference("Complaint"), most: PaymentEngine.listedMax)),
          ("next", Schemas.text),
        ])
    ),
    (
      "ComplaintStory",
      Schemas.object(
        required: required + ["pictures", "talk", "steps", "payments", "refunds"],
        members + [
          ("text", Schemas.text), ("problem", Schemas.text), ("refundAsked", Schemas.whole),
          ("pictures", Schemas.whole), ("talk", Schemas.text), ("steps", Schemas.list(step)),
          ("payments", Schemas.list(Schemas.reference("OperatorPayment"))),
          ("refunds", Schemas.list(Schemas.reference("Refund"))),
        ])
    ),
  ]

  private static let required = [
    "complaintId", "environment", "state", "openedAt", "complainedAt", "times", "awaitsReply",
  ]

  private static let members: [(String, JSONValue?)] = [
    ("complaintId", Schemas.text), ("environment", Schemas.environment), ("state", Schemas.text),
    ("openedAt", Schemas.date), ("complainedAt", Schemas.date), ("times", Schemas.whole),
    ("awaitsReply", Schemas.truth), ("answerDue", Schemas.date), ("endDue", Schemas.date),
    ("answeredAt", Schemas.date), ("doneAt", Schemas.date), ("orderId", Schemas.uuid), ("userId", Schemas.text),
  ]

  private static let step = Schemas.object(
    required: ["by", "what", "text"],
    [("at", Schemas.date), ("by", Schemas.text), ("what", Schemas.text), ("text", Schemas.text)])
}

extension FieldMeanings {
  static let ofComplaints: [String: String] = [
    "answerDue": "Until when the first answer is due.",
    "AnswerComplaint.talk": "The `talk` of the complaint as you read it. If somebody wrote since, nothing is sent.",
    "AnswerComplaint.text": "What the customer reads: 1 to 200 characters, without line breaks and emoji.",
    "answeredAt": "When somebody first answered.",
    "awaitsReply": "Whether the customer wrote something that nobody answered.",
    "complainedAt": "When the customer complained last. Both deadlines count from then.",
    "complaintId": "WeChat Pay's number of the complaint.",
    "complaints": "The complaints.",
    "Complaint.state": "WeChat Pay's word: PENDING, PROCESSING, PROCESSED or a newer one.",
    "ComplaintStory.doneAt": "When it was over.",
    "Complaint.doneAt": "When it was over.",
    "ComplaintStory.payments": "The payments that the complaint names, as far as they are known here.",
    "ComplaintStory.problem": "WeChat Pay's word for the kind of problem.",
    "ComplaintStory.refunds": "The refunds of these payments.",
    "ComplaintStory.state": "WeChat Pay's word: PENDING, PROCESSING, PROCESSED or a newer one.",
    "ComplaintStory.steps.what": "WeChat Pay's word for the step.",
    "ComplaintStory.steps.text": "What was written; `***` for a role that does not see personal data.",
    "ComplaintStory.text": "What the customer wrote; `***` for a role that does not see personal data.",
    "endDue": "Until when it must be over.",
    "openedAt": "When the customer first complained.",
    "pictures": "How many pictures there are; the console shows them.",
    "refundAsked": "What the customer wants back, in fen.",
    "steps": "The talk of customer, merchant and WeChat Pay.",
    "talk": "Names the place that the talk has reached. An answer states it.",
    "times": "How often the customer has complained under this number.",
  ]
}
