/// The products for sale: [Counterfoil.products].
final class ProductList {
  ProductList.read(Map<Object?, Object?> value)
      : products = [
          for (final product in value['products']! as List<Object?>) Product.read(product! as Map<Object?, Object?>),
        ],
        unknown = [for (final id in value['unknown']! as List<Object?>) id! as String],
        isPriced = value['isPriced'] == true;

  /// What can be shown and bought now.
  final List<Product> products;

  /// Ids that the App Store does not know: a mistake of the set-up.
  final List<String> unknown;

  /// Whether the store has told its prices. Without them everything can be bought nevertheless.
  final bool isPriced;
}

/// A product for sale. [Counterfoil.purchase] takes its id.
final class Product {
  Product.read(Map<Object?, Object?> value)
      : productId = value['productId']! as String,
        kind = value['kind']! as String,
        store = value['store']! as String,
        name = value['name']! as String,
        price = value['price']! as String,
        priceWords = value['priceWords']! as String,
        isPhysical = value['isPhysical'] == true,
        unit = value['unit'] as String?,
        amount = value['amount'] as int?,
        entitlement = value['entitlement'] as String?,
        seconds = value['seconds'] as int?;

  final String productId;

  /// `consumable`, `nonConsumable`, `autoRenewable`, `nonRenewing`.
  final String kind;

  /// Where this device buys it.
  final String store;

  /// The App Store's name for it; the id where there is none.
  final String name;

  /// As the customer reads it; empty while it is not known.
  final String price;

  /// Price and period, as App Review asks for them.
  final String priceWords;

  final bool isPhysical;

  /// What one piece gives: [amount] units of a balance, or an [entitlement].
  final String? unit;
  final int? amount;
  final String? entitlement;

  /// How long the entitlement lasts; null: as long as the store says.
  final int? seconds;
}

/// How many units the user has.
final class Balance {
  Balance.read(Map<Object?, Object?> value)
      : unit = value['unit']! as String,
        amount = value['amount']! as int,
        environment = value['environment']! as String,
        frozenSince = value['frozenSince'] as String?;

  final String unit;

  /// Negative after a refund of units that were spent.
  final int amount;
  final String environment;

  /// Since when spending is blocked, in ISO 8601.
  final String? frozenSince;
}

/// What the user may use, as the server says now.
final class Entitlement {
  Entitlement.read(Map<Object?, Object?> value)
      : entitlement = value['entitlement']! as String,
        state = value['state']! as String,
        givesAccess = value['givesAccess'] == true,
        store = value['store'] as String?,
        source = value['source'] as String? ?? 'payment',
        environment = value['environment']! as String,
        expiresAt = value['expiresAt'] as String?,
        willRenew = value['willRenew'] as bool?,
        renewsTo = value['renewsTo'] as String?,
        gracePeriodExpiresAt = value['gracePeriodExpiresAt'] as String?,
        reason = value['reason'] as String?,
        message = value['message']! as String;

  final String entitlement;

  /// `active`, `gracePeriod`, `billingRetry`, `expired`, `revoked`, or a word of a newer server.
  final String state;

  /// Whether the user has access. An unknown state gives none.
  final bool givesAccess;

  /// Null if no payment gives it.
  final String? store;

  /// `payment`, or `promotional`: the team gave it until a date.
  final String source;
  final String environment;

  /// Dates in ISO 8601.
  final String? expiresAt;
  final bool? willRenew;
  final String? renewsTo;
  final String? gracePeriodExpiresAt;

  /// Why it ended: `refunded`, `cancelled`, …
  final String? reason;

  /// The text for the customer.
  final String message;
}

/// The result of [Counterfoil.restorePurchases].
final class RestoreReport {
  RestoreReport.read(Map<Object?, Object?> value)
      : isComplete = value['isComplete'] == true,
        isCancelled = value['isCancelled'] == true,
        fulfilled = value['fulfilled']! as int,
        message = value['message'] as String?;

  /// Whether everything could be checked.
  final bool isComplete;

  /// The customer left the store's password box.
  final bool isCancelled;

  /// Purchases that were found and granted.
  final int fulfilled;

  /// The text for the customer; null after a cancel.
  final String? message;
}
