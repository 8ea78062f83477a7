import CounterfoilAPI
import PaymentPrimitives
import StrictJSON

/// The schema of a request for a credit.
enum CreditSchemas {
  static let request = Schemas.object(
    required: ["amount", "reason"],
    [
      ("amount", Schemas.integer(1...Int(ContractLimits.debitMax))), ("id", Schemas.text(1...255)),
      ("reason", Schemas.text(1...1024)), ("metadata", .members([("type", "object")])),
      ("environment", Schemas.environment),
    ])
}
