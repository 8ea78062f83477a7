extension AppStoreServerErrorCode {
  /// The code for Apple's error number. For a number that this version does not know, the HTTP status decides.
  init(number: Int64, status: Int) {
    if let known = AppStoreServerErrorNumber(rawValue: number) {
      self = known.code
      return
    }
    switch status {
    case 401: self = .notAuthorized
    case 404: self = .resourceNotFound
    case 429: self = .frequencyLimited
    case 500...: self = .failed
    default: self = .otherError
    }
  }
}

extension AppStoreServerErrorNumber {
  package var code: AppStoreServerErrorCode {
    switch self {
    case .invalidAppIdentifier, .appNotFound: .appUnknown
    case .invalidTransactionId, .invalidOriginalTransactionId, .transactionIdNotOriginalTransactionId,
      .appTransactionIdNotSupported:
      .identifierRefused
    case .transactionIdNotFound, .originalTransactionIdNotFound: .transactionNotFound
    case .appTransactionDoesNotExist: .appTransactionNotFound
    case .accountNotFound: .accountNotFound
    case .accountNotFoundRetryable, .appNotFoundRetryable, .originalTransactionIdNotFoundRetryable: .notFoundYet
    case .startDateTooFarInPast, .startDateAfterEndDate, .invalidStartDate, .invalidEndDate: .spanRefused
    case .invalidRequestRevision, .invalidPaginationToken, .paginationTokenExpired: .pageRefused
    case .invalidNotificationType, .multipleFiltersSupplied, .invalidSort, .invalidProductType, .invalidProductId,
      .invalidSubscriptionGroupIdentifier, .invalidExcludeRevoked, .invalidInAppOwnershipType,
      .invalidEmptyStorefrontCountryCodeList, .invalidStorefrontCountryCode, .invalidRevoked, .invalidStatus:
      .filterRefused
    case .invalidAppAccountToken, .invalidAppAccountTokenUUID: .tokenRefused
    case .familyTransactionNotSupported, .familySharedSubscriptionExtensionIneligible: .familyShared
    case .invalidAccountTenure, .invalidConsumptionStatus, .invalidCustomerConsented, .invalidDeliveryStatus,
      .invalidLifetimeDollarsPurchased, .invalidLifetimeDollarsRefunded, .invalidPlatform, .invalidPlayTime,
      .invalidSampleContentProvided, .invalidUserStatus, .invalidTransactionNotConsumable, .invalidRefundPreference,
      .invalidTransactionTypeNotSupported:
      .consumptionRefused
    case .invalidExtendByDays, .invalidExtendReasonCode, .invalidRequestIdentifier,
      .subscriptionExtensionIneligible, .subscriptionMaxExtension:
      .extensionRefused
    case .serverNotificationUrlNotFound: .notificationURLMissing
    case .invalidTestNotificationToken, .testNotificationNotFound: .testNotificationUnknown
    case .statusRequestNotFound: .resourceNotFound
    case .invalidImage, .headerTooLong, .bodyTooLong, .invalidLocale, .altTextTooLong,
      .invalidPerformanceTestRequest, .invalidRequestId, .existingPerformanceTestRun, .badRequestRealtimeUrl,
      .badRequestImageSize, .tooManyBulletPoints, .bulletPointTextTooLong, .aboveImageRequiresAnImage,
      .maximumNumberOfImagesReached, .maximumNumberOfMessagesReached, .messageNotApproved, .imageNotApproved,
      .imageInUse, .forbiddenNoPassingTest, .imageNotFound, .messageNotFound, .performanceTestRunNotFound,
      .defaultMessageNotFound, .realtimeUrlNotFound, .imageAlreadyExists, .messageAlreadyExists:
      .messagingRefused
    case .rateLimitExceeded: .frequencyLimited
    case .generalInternal, .generalInternalRetryable: .failed
    case .generalBadRequest: .otherError
    }
  }
}
