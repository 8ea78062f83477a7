import AppStoreProtocol

/// The pairs of type and subtype that this simulator sends (rule AS-NOTE-5).
enum NotificationKind {
  case oneTimeCharge
  case subscribed(isFirst: Bool)
  case didRenew(isRecovery: Bool)
  case didChangeRenewalStatus(isOn: Bool)
  case didChangeRenewalPreference(Subtype?)
  case refund
  case test
  case other(NotificationTypeV2, Subtype? = nil)

  var type: NotificationTypeV2 {
    switch self {
    case .oneTimeCharge: .oneTimeCharge
    case .subscribed: .subscribed
    case .didRenew: .didRenew
    case .didChangeRenewalStatus: .didChangeRenewalStatus
    case .didChangeRenewalPreference: .didChangeRenewalPref
    case .refund: .refund
    case .test: .test
    case .other(let type, _): type
    }
  }

  var subtype: Subtype? {
    switch self {
    case .subscribed(let isFirst): isFirst ? .initialBuy : .resubscribe
    case .didRenew(let isRecovery): isRecovery ? .billingRecovery : nil
    case .didChangeRenewalStatus(let isOn): isOn ? .autoRenewEnabled : .autoRenewDisabled
    case .didChangeRenewalPreference(let subtype): subtype
    case .other(_, let subtype): subtype
    case .oneTimeCharge, .refund, .test: nil
    }
  }
}
