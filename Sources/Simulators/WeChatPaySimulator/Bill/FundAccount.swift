package import PaymentPrimitives
import SimulatorCore
package import StrictJSON

/// The accounts of a merchant, by WeChat Pay's names.
package enum FundAccount: String, CaseIterable, Hashable, Sendable {
  /// Payments, refunds and fees.
  case basic = "BASIC"
  case operation = "OPERATION"
  case fees = "FEES"
}

/// Money that a merchant paid into an account or withdrew from it, by command.
package struct FundTransfer: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    case topUp
    case withdrawal
  }

  package let mchid: String
  package let account: FundAccount
  package let kind: Kind
  /// In fen.
  package let amount: Int64
  package let number: String
  package let at: Timestamp
}

extension FundTransfer {
  init(_ fields: JSONFields) throws(JSONFieldError) {
    mchid = try fields.converted("mchid", "1 to 32 digits") { Forms.mchid($0) }
    account = try fields.converted("account", "BASIC, OPERATION or FEES", FundAccount.init(rawValue:))
    kind = try fields.converted("kind", "topUp or withdrawal", Kind.init(rawValue:))
    amount = try fields.integer("amount", in: 1...OrderForm.fenMax)
    number = try fields.string("number", bytesMax: 64)
    at = try fields.timestamp("at")
  }

  /// The transfer as the log and the control API write it.
  package var json: JSONValue {
    .members([
      ("mchid", .string(mchid)), ("account", .string(account.rawValue)), ("kind", .string(kind.rawValue)),
      ("amount", .integer(amount)), ("number", .string(number)), ("at", .integer(at.milliseconds)),
    ])
  }
}
