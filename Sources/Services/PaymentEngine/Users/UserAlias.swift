import Cryptography
import PaymentModel
import PaymentPrimitives
import StrictJSON

/// What stands for a user who was erased.
enum UserAlias {
  private static let prefix = "erased_"

  /// The alias of a user's erasure with that number. Only the installation's secret leads from the user to it, and
  /// nothing leads back. The same id later is another user, so their erasure has the next number.
  static func of(
    _ user: UserIdentifier, number: Int, in app: AppIdentifier, secret: Secret
  ) -> UserIdentifier {
    let text = StableBytes.of(["erased user", app.text, user.text, "\(number)"])
    let code = HMACSHA256.code(for: text, key: secret)
    return UserIdentifier(prefix + Array(code.prefix(8)).hexadecimal)
  }
}

/// Takes what is personal out of the JSON texts of a user's rows.
struct PersonalText: Sendable {
  /// Members that an app, a backend or a store fills with what it likes, or with a person's ids elsewhere.
  private static let personal: Set<String> = [
    "metadata", "openId", "openid", "phone",
    // What a customer wrote in a complaint, and what the store says of them.
    "complaint_detail", "complaint_media_list", "problem_description", "user_tag_list",
  ]

  /// Members with texts for people: a name may stand anywhere in them.
  private static let forPeople: Set<String> = ["found", "why"]

  let names: Set<String>
  let alias: String

  /// A user's id as a JSON text writes it, between the quotation marks.
  static func written(_ user: UserIdentifier) -> String {
    String(JSONValue.string(user.text).text.dropFirst().dropLast())
  }

  /// The text with the alias instead of the names. A text that names nobody stays as it is, to the byte.
  func redacted(_ text: String) -> String {
    guard let value = try? JSONReader.read(text.utf8) else { return text }
    let after = redacted(value)
    return after == value ? text : after.text
  }

  private func redacted(_ value: JSONValue) -> JSONValue {
    switch value {
    case .string(let text): return names.contains(text) ? .string(alias) : value
    case .array(let items): return .array(items.map(redacted))
    case .object(let members):
      // The app's own number. The journal does not say whose a number is; the order keeps the backend's.
      let isAppsNumber = value["referenceFrom"]?.string == "app" || value["type"] == nil
      let isForeign = value["operator"] != nil || value["complaint"] != nil
      return .object(
        members.compactMap { member in
          if Self.personal.contains(member.name) { return nil }
          // Words of a backend, an operator or a customer, and not a value that anything is decided by. A note or a
          // complaint may name the person in any way.
          if isForeign, ["reason", "text"].contains(member.name) { return nil }
          if ["reason", "scene"].contains(member.name), let words = member.value.string,
            names.contains(where: { words.contains($0) })
          {
            return nil
          }
          if isAppsNumber, member.name == "reference" || member.name == "referenceFrom" { return nil }
          if Self.forPeople.contains(member.name), let text = member.value.string {
            return JSONMember(member.name, .string(NamesInText.replaced(Array(names), by: alias, in: text)))
          }
          return JSONMember(member.name, redacted(member.value))
        })
    case .null, .bool, .number: return value
    }
  }
}
