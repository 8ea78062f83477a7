public import PaymentPrimitives

/// The error codes of the client. Meaning and remedy are written for the customer: an app may show them unchanged.
public enum PurchasingErrorCode: String, ErrorCode {
  /// The configuration cannot be used.
  case configurationInvalid = "client_configuration_invalid"
  /// `run()` is not running.
  case notRunning = "client_not_running"
  /// No user is signed in.
  case notSignedIn = "client_not_signed_in"
  /// The quantity cannot be bought.
  case quantityNotAllowed = "client_quantity_not_allowed"
  /// The product's name or the details of the purchase cannot be sent.
  case requestInvalid = "client_request_invalid"
  /// This device or account may not pay.
  case paymentsDisabled = "client_payments_disabled"
  /// A purchase of this product is under way.
  case purchaseInProgress = "client_purchase_in_progress"
  /// An earlier purchase of this product is not decided yet.
  case earlierPurchaseUndecided = "client_earlier_purchase_undecided"
  /// The device's vault cannot be used.
  case vaultUnavailable = "client_vault_unavailable"
  /// The vault holds as many open orders as it can.
  case vaultFull = "client_vault_full"
  /// The store does not answer, or cannot be reached.
  case storeUnavailable = "client_store_unavailable"
  /// No one is signed in to the App Store on this device.
  case storeNotSignedIn = "client_store_not_signed_in"
  /// The store reported a failure.
  case storeFailed = "client_store_failed"
  /// The store does not sell the product.
  case productUnknown = "client_product_unknown"
  /// This customer is not eligible for the offer, or the store does not accept it.
  case offerNotAllowed = "client_offer_not_allowed"
  /// The store could not restore.
  case restoreFailed = "client_restore_failed"
  /// The app was built without WeChat.
  case weChatAbsent = "client_wechat_absent"
  /// WeChat is not installed.
  case weChatNotInstalled = "client_wechat_not_installed"
  /// The order is for another app at WeChat than this one.
  case weChatAppDiffers = "client_wechat_app_differs"
  /// WeChat reported a failure, and the order is not paid.
  case weChatFailed = "client_wechat_failed"
  /// The app gave no token for the user.
  case userTokenUnavailable = "client_user_token_unavailable"
  /// The token that the app gave belongs to another user.
  case userDiffers = "client_user_differs"
  /// The server could not be reached; it is not known whether there is an order.
  case serverUnreachable = "client_server_unreachable"
  /// The server refused the order.
  case serverRefused = "client_server_refused"
  /// The server's order differs from the requested one.
  case orderDiffers = "client_order_differs"
  /// The caller stopped waiting before the payment sheet opened.
  case purchaseAbandoned = "client_purchase_abandoned"

  public var retry: RetryAdvice {
    switch self {
    case .configurationInvalid, .quantityNotAllowed, .requestInvalid, .serverRefused, .orderDiffers, .productUnknown,
      .offerNotAllowed,
      .weChatAbsent, .weChatAppDiffers:
      .never
    case .notRunning, .notSignedIn, .paymentsDisabled, .purchaseInProgress, .earlierPurchaseUndecided,
      .vaultUnavailable, .vaultFull, .storeUnavailable, .storeNotSignedIn, .storeFailed, .restoreFailed,
      .weChatNotInstalled, .weChatFailed, .userTokenUnavailable,
      .userDiffers, .serverUnreachable, .purchaseAbandoned:
      .later
    }
  }
}
