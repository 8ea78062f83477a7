public import PaymentPrimitives

/// The length of a subscription's period, as the App Store states it.
public struct SubscriptionPeriod: Hashable, Sendable {
  /// The unit of a period.
  public enum Unit: String, Hashable, CaseIterable, Sendable {
    /// Calendar units; the store decides what a month is.
    case day, week, month, year
  }

  /// The unit.
  public var unit: Unit
  /// How many units.
  public var count: Int

  /// A period.
  public init(_ count: Int, _ unit: Unit) {
    self.count = count
    self.unit = unit
  }

  /// How many months the period has, for a price per month; nil for a period of days or weeks.
  public var months: Int? {
    switch unit {
    case .month: count
    case .year: count * 12
    case .day, .week: nil
    }
  }

  /// The period in words: “month”, “3 months”; in Chinese “1 个月”, “3 个月”.
  public var words: BilingualText {
    let english = count == 1 ? unit.rawValue : "\(count) \(unit.rawValue)s"
    let chinese =
      switch unit {
      case .day: "\(count) 天"
      case .week: "\(count) 周"
      case .month: "\(count) 个月"
      case .year: "\(count) 年"
      }
    return BilingualText(english, chinese)
  }
}

/// An offer of a subscription, as the App Store describes it.
public struct SubscriptionOffer: Hashable, Sendable {
  /// How the customer pays during the offer.
  public enum Payment: String, Hashable, CaseIterable, Sendable {
    /// Nothing.
    case freeTrial
    /// A lower price for each period.
    case payAsYouGo
    /// One price for the whole offer.
    case payUpFront
  }

  /// Its id in App Store Connect; nil for an introductory offer, which has none.
  public var id: String?
  /// How the customer pays.
  public var payment: Payment
  /// The price of the offer as the store formats it.
  public var displayPrice: String
  /// The length of one period of the offer.
  public var period: SubscriptionPeriod
  /// The number of those periods.
  public var periodCount: Int

  /// An offer.
  public init(
    id: String? = nil, payment: Payment, displayPrice: String, period: SubscriptionPeriod, periodCount: Int = 1
  ) {
    self.id = id
    self.payment = payment
    self.displayPrice = displayPrice
    self.period = period
    self.periodCount = periodCount
  }

  /// The time for which the offer holds.
  public var duration: SubscriptionPeriod { SubscriptionPeriod(period.count * periodCount, period.unit) }

  /// The offer in words: “1 week free”, “¥3.00 per month for 3 months”.
  public var words: BilingualText {
    let (whole, one) = (duration.words, period.words)
    let span = duration.count == 1 ? "1 \(whole.english)" : whole.english
    return switch payment {
    case .freeTrial: BilingualText("\(span) free", "免费试用 \(whole.chinese)")
    case .payAsYouGo:
      BilingualText(
        "\(displayPrice) per \(one.english) for \(span)", "前 \(whole.chinese)每 \(one.chinese) \(displayPrice)")
    case .payUpFront: BilingualText("\(displayPrice) for \(span)", "前 \(whole.chinese)共 \(displayPrice)")
    }
  }
}
