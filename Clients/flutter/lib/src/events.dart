/// Something that an app may want to show. New kinds may come: have a default in your switch.
sealed class PurchaseEvent {
  const PurchaseEvent({required this.message});

  /// The text for the customer, in the language that the app has set.
  final String message;

  /// Reads an event of the platform's half.
  static PurchaseEvent read(Map<Object?, Object?> value) {
    final message = value['message']! as String;
    final order = value['order'] as String? ?? '';
    return switch (value['event']) {
      'orderOpen' => OrderOpened(order: OpenOrder.read(value), message: message),
      'orderClosed' => OrderClosed(order: order, message: message),
      'orderGranted' => OrderGranted(order: order, message: message),
      'notConfirmed' => NotConfirmed(order: order, message: message),
      'slowCallback' => SlowCallback(order: order, message: message),
      'openedWeChat' => OpenedWeChat(order: order, message: message),
      'fulfilled' => PaymentGranted(
          transactionId: value['transactionId']! as String,
          order: value['order'] as String?,
          message: message,
        ),
      'notGranted' => PaymentNotGranted(
          transactionId: value['transactionId']! as String,
          verdict: value['verdict']! as String,
          reason: value['reason'] as String?,
          message: message,
        ),
      'earlierRecordJudged' => EarlierRecordJudged(
          reference: value['reference']! as String,
          verdict: value['verdict']! as String,
          message: message,
        ),
      final name => OtherEvent(name: '$name', message: message),
    };
  }
}

/// An order of the signed-in user is open, or its state has changed. With the phase `paying` WeChat opens: take the
/// loading box away.
final class OrderOpened extends PurchaseEvent {
  const OrderOpened({required this.order, required super.message});

  final OpenOrder order;
}

/// An order left the vault: it is granted, or closed unpaid.
final class OrderClosed extends PurchaseEvent {
  const OrderClosed({required this.order, required super.message});

  final String order;
}

/// An order is paid and granted, however the client learned of it.
final class OrderGranted extends PurchaseEvent {
  const OrderGranted({required this.order, required super.message});

  final String order;
}

/// The customer came back and no payment is confirmed. A later payment is granted.
final class NotConfirmed extends PurchaseEvent {
  const NotConfirmed({required this.order, required super.message});

  final String order;
}

/// It takes longer than usual.
final class SlowCallback extends PurchaseEvent {
  const SlowCallback({required this.order, required super.message});

  final String order;
}

/// WeChat was opened: take the loading box away.
final class OpenedWeChat extends PurchaseEvent {
  const OpenedWeChat({required this.order, required super.message});

  final String order;
}

/// A payment of the App Store was granted to the signed-in user, however the client learned of it.
final class PaymentGranted extends PurchaseEvent {
  const PaymentGranted({required this.transactionId, required this.order, required super.message});

  final String transactionId;
  final String? order;
}

/// The server judged a payment of the App Store and did not grant it to the signed-in user.
final class PaymentNotGranted extends PurchaseEvent {
  const PaymentNotGranted({
    required this.transactionId,
    required this.verdict,
    required this.reason,
    required super.message,
  });

  final String transactionId;
  final String verdict;
  final String? reason;
}

/// The server judged a record that [Counterfoil.takeOver] took.
final class EarlierRecordJudged extends PurchaseEvent {
  const EarlierRecordJudged({required this.reference, required this.verdict, required super.message});

  final String reference;
  final String verdict;
}

/// An event that this version of the Dart half does not know.
final class OtherEvent extends PurchaseEvent {
  const OtherEvent({required this.name, required super.message});

  final String name;
}

/// An order that this device has a record of.
final class OpenOrder {
  OpenOrder.read(Map<Object?, Object?> value)
      : order = value['order']! as String,
        store = value['store']! as String,
        productId = value['productId']! as String,
        quantity = value['quantity']! as int,
        phase = value['phase']! as String,
        weChatCode = value['weChatCode'] as int?;

  final String order;
  final String store;
  final String productId;
  final int quantity;

  /// `created`, `paying`, `failedOnce`, `deferred`, `paid`, `setAside`.
  final String phase;

  /// WeChat's last number about it, for support.
  final int? weChatCode;
}
