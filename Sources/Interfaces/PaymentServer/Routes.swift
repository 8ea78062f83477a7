/// The table of all routes: the best first file for a web developer.
enum Routes {
  static let all: [Route] =
    OrderRoutes.all + WeChatPayRoutes.all + PaymentRoutes.all + EntitlementRoutes.all + WalletRoutes.all
    + UserRoutes.all + PromotionalRoutes.all
    + OfferRoutes.all + DiagnosticsRoutes.all
    + ConsentRoutes.all + DeliveryRoutes.all + EventRoutes.all + ReportRoutes.all
    + NotificationRoutes.all + OperatorReadRoutes.all + OperatorListRoutes.all + OperatorExtensionRoutes.all
    + OperatorRefundRoutes.all + OperatorComplaintRoutes.all
    + OperatorRoutes.all + MachineRoutes.all
    + LinkRoutes.all
}
