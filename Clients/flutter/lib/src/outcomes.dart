/// The way a customer left Apple's sheet for refunds.
enum RefundRequest {
  /// A request was sent. Apple decides within days.
  sent,

  /// No request was sent.
  cancelled,

  /// One had been sent for this purchase before.
  sentBefore;

  /// Reads an answer of the platform's half. A word of a newer version is no request that is known to be sent.
  static RefundRequest read(String word) => values.asNameMap()[word] ?? cancelled;
}

/// How a purchase stands when [Counterfoil.purchase] returns. The names are those of the Swift library.
sealed class PurchaseOutcome {
  const PurchaseOutcome({required this.order, required this.message});

  /// The id of the order: the customer's number for support.
  final String order;

  /// The text for the customer, in the language that the app has set.
  final String message;

  /// Reads an outcome of the platform's half.
  ///
  /// An outcome of a newer version is not known to be paid, so it is [AwaitingConfirmation].
  static PurchaseOutcome read(Map<Object?, Object?> value) {
    final order = value['order']! as String;
    final message = value['message']! as String;
    return switch (value['outcome']) {
      'fulfilled' => Fulfilled(order: order, message: message, recovered: value['recovered'] == true),
      'cancelled' => Cancelled(order: order, message: message),
      'pendingApproval' => PendingApproval(order: order, message: message),
      'renewalChanged' => RenewalChanged(order: order, message: message),
      'notGranted' => NotGranted(
          order: order,
          message: message,
          verdict: value['verdict']! as String,
          reason: value['reason'] as String?,
        ),
      _ => AwaitingConfirmation(order: order, message: message),
    };
  }
}

/// Granted. With [recovered] an earlier purchase was found paid, and this tap charged nothing.
final class Fulfilled extends PurchaseOutcome {
  const Fulfilled({required super.order, required super.message, required this.recovered});

  final bool recovered;
}

/// The customer cancelled. The order is kept: a payment that appears later is granted to it.
final class Cancelled extends PurchaseOutcome {
  const Cancelled({required super.order, required super.message});
}

/// Another person has to approve the purchase, perhaps days later.
final class PendingApproval extends PurchaseOutcome {
  const PendingApproval({required super.order, required super.message});
}

/// Nothing was charged: the subscription changes at its next renewal.
final class RenewalChanged extends PurchaseOutcome {
  const RenewalChanged({required super.order, required super.message});
}

/// Not known yet whether it was paid. The work goes on, and an event tells the result.
final class AwaitingConfirmation extends PurchaseOutcome {
  const AwaitingConfirmation({required super.order, required super.message});
}

/// The server judged the payment and did not grant it. Show how to contact support.
final class NotGranted extends PurchaseOutcome {
  const NotGranted({required super.order, required super.message, required this.verdict, this.reason});

  final String verdict;
  final String? reason;
}

/// Why a purchase did not begin, or failed.
final class PurchasingError implements Exception {
  const PurchasingError({
    required this.code,
    required this.message,
    this.explanation = '',
    this.serverCode,
    this.weChatCode,
    this.storeCode,
  });

  /// Reads an error of the platform's half.
  PurchasingError.read(this.code, String? message, Object? details)
      : message = message ?? code,
        explanation = details is Map ? details['explanation'] as String? ?? '' : '',
        serverCode = details is Map ? details['serverCode'] as String? : null,
        weChatCode = details is Map ? details['weChatCode'] as int? : null,
        storeCode = details is Map ? details['storeCode'] as int? : null;

  /// A stable word, such as `client_wechat_not_installed`.
  final String code;

  /// The text for the customer: what happened, and what to do.
  final String message;

  /// For a developer.
  final String explanation;

  /// The server's own code.
  final String? serverCode;

  /// WeChat's number: -1 and so on. It proves nothing.
  final int? weChatCode;

  /// The App Store's number, as in `SKError.Code`. It proves nothing.
  final int? storeCode;

  @override
  String toString() => '$code: $explanation';
}

/// The result of [Counterfoil.recover].
final class RecoveryReport {
  RecoveryReport.read(Map<Object?, Object?> value)
      : isComplete = value['isComplete'] == true,
        ordersClosed = value['ordersClosed']! as int,
        ordersOpen = value['ordersOpen']! as int;

  /// Whether vault and server answered. If not, the numbers are incomplete, and the client asks again by itself.
  final bool isComplete;

  /// Records that left the vault.
  final int ordersClosed;

  /// Records that stay.
  final int ordersOpen;
}
