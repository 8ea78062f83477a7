package import PaymentPrimitives

/// Why an export was not made, or is not one to rely on.
package enum ExportErrorCode: String, ErrorCode {
  /// The folder has another export, or something else.
  case folderTaken = "export_folder_taken"
  /// There is no manifest that can be read.
  case manifestMissing = "export_manifest_missing"
  /// A file is missing or differs from the manifest.
  case damaged = "export_damaged"
  /// Users were erased after it was made.
  case beforeErasure = "export_before_erasure"
  /// A balance is not the sum of its movements.
  case balanceDiffers = "export_balance_differs"

  package var meaning: BilingualText {
    switch self {
    case .folderTaken:
      .init("The folder has something else than this export; nothing was written.", "该文件夹中已有其他内容，未写入任何内容。")
    case .manifestMissing: .init("The folder has no complete export.", "该文件夹中没有完整的导出。")
    case .damaged:
      .init("A file of the export is missing or was changed.", "导出的文件缺失或已被改动。")
    case .beforeErasure:
      .init(
        "The erased users of the database are not those of the time of this export.", "数据库中的用户删除记录与该导出生成时不同。")
    case .balanceDiffers:
      .init("A balance is not the sum of its movements; no export was made.", "有余额与其变动之和不符，未生成导出。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .folderTaken: .init("Name an empty or a new folder with --to.", "请用 --to 指定一个空的或新的文件夹。")
    case .manifestMissing:
      .init(
        "Run the same `counterfoil export` again: it begins anew in this folder.",
        "请重新运行同一条 `counterfoil export`：它会在该文件夹中重新开始。")
    case .damaged: .init("Export again into another folder, and compare.", "请导出到另一个文件夹，然后对比。")
    case .beforeErasure:
      .init(
        "Remove it with `counterfoil export --expire`, with all copies, and export again.",
        "请用 `counterfoil export --expire` 删除它及所有副本，然后重新导出。")
    case .balanceDiffers:
      .init("Run `counterfoil audit` and report what it prints.", "请运行 `counterfoil audit` 并反馈其输出。")
    }
  }

  package var retry: RetryAdvice { .never }
}
