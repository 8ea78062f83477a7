/// The numbers by which the App Store Server API says why it refuses (`errorCode`), under Apple's names.
///
/// Apple adds numbers without notice; an unknown one is kept as it came (`KnownOrRaw`). What each means for us stands
/// in `AppStoreServerErrorCode`.
public enum AppStoreServerErrorNumber: Int64, CaseIterable, Sendable {
  /// General bad request.
  case generalBadRequest = 4_000_000
  /// Invalid app identifier.
  case invalidAppIdentifier = 4_000_002
  /// Invalid request revision.
  case invalidRequestRevision = 4_000_005
  /// Invalid transaction id.
  case invalidTransactionId = 4_000_006
  /// Invalid original transaction id.
  case invalidOriginalTransactionId = 4_000_008
  /// Invalid extend by days.
  case invalidExtendByDays = 4_000_009
  /// Invalid extend reason code.
  case invalidExtendReasonCode = 4_000_010
  /// Invalid request identifier.
  case invalidRequestIdentifier = 4_000_011
  /// Start date too far in past.
  case startDateTooFarInPast = 4_000_012
  /// Start date after end date.
  case startDateAfterEndDate = 4_000_013
  /// Invalid pagination token.
  case invalidPaginationToken = 4_000_014
  /// Invalid start date.
  case invalidStartDate = 4_000_015
  /// Invalid end date.
  case invalidEndDate = 4_000_016
  /// Pagination token expired.
  case paginationTokenExpired = 4_000_017
  /// Invalid notification type.
  case invalidNotificationType = 4_000_018
  /// Multiple filters supplied.
  case multipleFiltersSupplied = 4_000_019
  /// Invalid test notification token.
  case invalidTestNotificationToken = 4_000_020
  /// Invalid sort.
  case invalidSort = 4_000_021
  /// Invalid product type.
  case invalidProductType = 4_000_022
  /// Invalid product id.
  case invalidProductId = 4_000_023
  /// Invalid subscription group identifier.
  case invalidSubscriptionGroupIdentifier = 4_000_024
  /// Invalid exclude revoked.
  case invalidExcludeRevoked = 4_000_025
  /// Invalid in app ownership type.
  case invalidInAppOwnershipType = 4_000_026
  /// Invalid empty storefront country code list.
  case invalidEmptyStorefrontCountryCodeList = 4_000_027
  /// Invalid storefront country code.
  case invalidStorefrontCountryCode = 4_000_028
  /// Invalid revoked.
  case invalidRevoked = 4_000_030
  /// Invalid status.
  case invalidStatus = 4_000_031
  /// Invalid account tenure.
  case invalidAccountTenure = 4_000_032
  /// Invalid app account token.
  case invalidAppAccountToken = 4_000_033
  /// Invalid consumption status.
  case invalidConsumptionStatus = 4_000_034
  /// Invalid customer consented.
  case invalidCustomerConsented = 4_000_035
  /// Invalid delivery status.
  case invalidDeliveryStatus = 4_000_036
  /// Invalid lifetime dollars purchased.
  case invalidLifetimeDollarsPurchased = 4_000_037
  /// Invalid lifetime dollars refunded.
  case invalidLifetimeDollarsRefunded = 4_000_038
  /// Invalid platform.
  case invalidPlatform = 4_000_039
  /// Invalid play time.
  case invalidPlayTime = 4_000_040
  /// Invalid sample content provided.
  case invalidSampleContentProvided = 4_000_041
  /// Invalid user status.
  case invalidUserStatus = 4_000_042
  /// Invalid transaction not consumable.
  case invalidTransactionNotConsumable = 4_000_043
  /// Invalid refund preference.
  case invalidRefundPreference = 4_000_044
  /// Invalid transaction type not supported.
  case invalidTransactionTypeNotSupported = 4_000_047
  /// App transaction id not supported.
  case appTransactionIdNotSupported = 4_000_048
  /// Invalid image.
  case invalidImage = 4_000_161
  /// Header too long.
  case headerTooLong = 4_000_162
  /// Body too long.
  case bodyTooLong = 4_000_163
  /// Invalid locale.
  case invalidLocale = 4_000_164
  /// Alt text too long.
  case altTextTooLong = 4_000_175
  /// Invalid app account token UUID.
  case invalidAppAccountTokenUUID = 4_000_183
  /// Family transaction not supported.
  case familyTransactionNotSupported = 4_000_185
  /// Transaction id not original transaction id.
  case transactionIdNotOriginalTransactionId = 4_000_187
  /// Invalid performance test request.
  case invalidPerformanceTestRequest = 4_000_211
  /// Invalid request id.
  case invalidRequestId = 4_000_212
  /// Existing performance test run.
  case existingPerformanceTestRun = 4_000_213
  /// Bad request realtime url.
  case badRequestRealtimeUrl = 4_000_215
  /// Bad request image size.
  case badRequestImageSize = 4_000_216
  /// Too many bullet points.
  case tooManyBulletPoints = 4_000_218
  /// Bullet point text too long.
  case bulletPointTextTooLong = 4_000_219
  /// Above image requires an image.
  case aboveImageRequiresAnImage = 4_000_224
  /// Subscription extension ineligible.
  case subscriptionExtensionIneligible = 4_030_004
  /// Subscription max extension.
  case subscriptionMaxExtension = 4_030_005
  /// Family shared subscription extension ineligible.
  case familySharedSubscriptionExtensionIneligible = 4_030_007
  /// Maximum number of images reached.
  case maximumNumberOfImagesReached = 4_030_014
  /// Maximum number of messages reached.
  case maximumNumberOfMessagesReached = 4_030_016
  /// Message not approved.
  case messageNotApproved = 4_030_017
  /// Image not approved.
  case imageNotApproved = 4_030_018
  /// Image in use.
  case imageInUse = 4_030_019
  /// Forbidden no passing test.
  case forbiddenNoPassingTest = 4_030_026
  /// Account not found.
  case accountNotFound = 4_040_001
  /// Account not found retryable.
  case accountNotFoundRetryable = 4_040_002
  /// App not found.
  case appNotFound = 4_040_003
  /// App not found retryable.
  case appNotFoundRetryable = 4_040_004
  /// Original transaction id not found.
  case originalTransactionIdNotFound = 4_040_005
  /// Original transaction id not found retryable.
  case originalTransactionIdNotFoundRetryable = 4_040_006
  /// Server notification url not found.
  case serverNotificationUrlNotFound = 4_040_007
  /// Test notification not found.
  case testNotificationNotFound = 4_040_008
  /// Status request not found.
  case statusRequestNotFound = 4_040_009
  /// Transaction id not found.
  case transactionIdNotFound = 4_040_010
  /// Image not found.
  case imageNotFound = 4_040_014
  /// Message not found.
  case messageNotFound = 4_040_015
  /// Performance test run not found.
  case performanceTestRunNotFound = 4_040_018
  /// App transaction does not exist.
  case appTransactionDoesNotExist = 4_040_019
  /// Default message not found.
  case defaultMessageNotFound = 4_040_020
  /// Realtime url not found.
  case realtimeUrlNotFound = 4_040_021
  /// Image already exists.
  case imageAlreadyExists = 4_090_000
  /// Message already exists.
  case messageAlreadyExists = 4_090_001
  /// Rate limit exceeded.
  case rateLimitExceeded = 4_290_000
  /// General internal.
  case generalInternal = 5_000_000
  /// General internal retryable.
  case generalInternalRetryable = 5_000_001
}
