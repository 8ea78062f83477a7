/// A purchase that the app's earlier code stored as `orderId¥status`.
final class EarlierRecord {
  const EarlierRecord({required this.reference, required this.user, this.productId});

  /// Reads what such code stored for a product; null if the text has no order number.
  ///
  /// The status is not needed: the server knows better.
  static EarlierRecord? parse(String text, {required String user, String? productId}) {
    final reference = text.split('¥').first;
    if (reference.isEmpty) return null;
    return EarlierRecord(reference: reference, user: user, productId: productId);
  }

  /// The app's own order number.
  final String reference;

  /// The user that the purchase belongs to.
  final String user;

  /// The store's product id.
  final String? productId;
}
