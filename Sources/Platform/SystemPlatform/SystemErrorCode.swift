package import PaymentPrimitives

/// The reasons why a system call failed.
package enum SystemErrorCode: String, ErrorCode {
  /// There is no file of that name.
  case fileNotFound = "file_not_found"
  /// The file exists and cannot be read.
  case fileUnreadable = "file_unreadable"
  /// The file is larger than the limit.
  case fileTooLarge = "file_too_large"
  /// The file cannot be written; its previous content is unchanged.
  case fileUnwritable = "file_unwritable"
  case fileInUse = "file_in_use"
  /// A second process of this program could not be started.
  case childUnstartable = "child_unstartable"
  /// A socket that a service manager passed cannot be used.
  case inheritedSocketUnusable = "inherited_socket_unusable"

  package var meaning: BilingualText {
    switch self {
    case .fileNotFound: .init("There is no such file.", "文件不存在。")
    case .fileUnreadable: .init("The file cannot be read.", "文件无法读取。")
    case .fileTooLarge: .init("The file is too large.", "文件过大。")
    case .fileUnwritable: .init("The file cannot be written.", "文件无法写入。")
    case .fileInUse: .init("Another process uses this file.", "另一个进程正在使用该文件。")
    case .childUnstartable: .init("A process could not be started.", "无法启动进程。")
    case .inheritedSocketUnusable:
      .init("A socket of the service manager cannot be used.", "服务管理器传入的套接字无法使用。")
    }
  }

  package var remedy: BilingualText {
    switch self {
    case .fileNotFound: .init("Check the path.", "请检查路径。")
    case .fileUnreadable:
      .init("Check the file's read permission, and that it is a file.", "请检查文件的读取权限，并确认它是普通文件。")
    case .fileTooLarge:
      .init("Check that this is the right file.", "请确认文件是否正确。")
    case .fileUnwritable:
      .init(
        "Check the folder, its write permission, and the free space on the disk.",
        "请检查所在文件夹、写入权限和磁盘剩余空间。")
    case .fileInUse:
      .init("Stop the other process, or name another file.", "请停止另一个进程，或改用其他文件。")
    case .inheritedSocketUnusable:
      .init(
        "In the socket unit, write ListenStream= with an IP address and port, and FileDescriptorName=api.",
        "请在 socket 单元中写明 ListenStream=（IP 地址与端口）和 FileDescriptorName=api。")
    case .childUnstartable:
      .init(
        "Check this user's limit on processes, and that the program's file is still there.",
        "请检查该用户的进程数上限，并确认程序文件仍在原处。")
    }
  }

  package var retry: RetryAdvice {
    switch self {
    case .fileUnwritable, .fileInUse, .childUnstartable: .later
    default: .never
    }
  }
}
