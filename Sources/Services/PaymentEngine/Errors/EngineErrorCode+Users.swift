import PaymentPrimitives

// Users who are merged or erased, and what they may spend.
extension EngineErrorCode {
  var userMeaning: BilingualText {
    switch self {
    case .userUnknown: .init("There is nothing of such a user.", "没有该用户的任何数据。")
    case .userAlreadyMerged: .init("The user was merged into another one.", "该用户已并入其他用户。")
    case .mergeTargetMerged:
      .init("The user who should receive it all was merged themselves.", "目标用户自身已并入其他用户。")
    case .mergeWithItself: .init("A user cannot be merged into themselves.", "用户不能并入自身。")
    case .userTooLarge: .init("The user has too much to move in one commit.", "该用户的数据过多，无法一次完成。")
    case .erasureNotPossible: .init("Something of the user is still open.", "该用户仍有未了结的事项。")
    case .userBeingErased: .init("The user is being erased.", "正在删除该用户。")
    case .erasureListUnavailable:
      .init("The list of erasures cannot be written, so the erasure waits.", "无法写入删除名单，删除尚未完成。")
    // `spendingLimitReached`.
    default:
      .init("The user's spending limit for the month would be passed.", "将超过该用户本月的消费限额。")
    }
  }

  var userRemedy: BilingualText {
    switch self {
    case .userUnknown:
      .init("Check the user's id. A user without orders needs no merge.", "请检查用户编号；没有订单的用户无需合并。")
    case .userAlreadyMerged:
      .init(
        "Merge the named user instead, if that is meant. A merge is never undone.",
        "如确需合并，请改为合并所示的用户；合并无法撤销。")
    case .mergeTargetMerged: .init("Merge into the named user instead.", "请改为并入所示的用户。")
    case .mergeWithItself: .init("Name two users.", "请指定两个不同的用户。")
    case .userTooLarge:
      .init(
        "Merge the other way round: the user who has less goes into the one who has more.",
        "请反向合并：将数据较少的用户并入数据较多的用户。")
    case .erasureNotPossible:
      .init(
        "End what is named first. force allows a debt and a subscription that renews.",
        "请先了结所列事项；force 允许欠款与仍会续期的订阅。")
    case .userBeingErased:
      .init("Try again in a minute. Then the id belongs to a new user.", "请一分钟后重试；届时该编号属于新用户。")
    case .erasureListUnavailable:
      .init(
        "Let the server write the file that [erasures] names, then repeat the call. It also goes on by itself.",
        "请使服务器能够写入 [erasures] 所指的文件，然后重复调用；服务器也会自行继续。")
    // `spendingLimitReached`.
    default:
      .init(
        "Order something within what is left, wait for the next month (UTC), or let your backend change the limit.",
        "请选择剩余额度内的商品、等到下个月（UTC），或由后端调整限额。")
    }
  }
}
