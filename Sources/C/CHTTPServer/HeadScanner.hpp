#pragma once
#include <cstddef>

/// Finds the end of a request head in bytes that come piece by piece, and stops at the first byte that no head may
/// hold: a line feed alone, a carriage return alone, NUL and the other control characters. Without it such a head would
/// look unfinished, and its sender would learn of his mistake only when the deadline passes.
class HeadScanner {
public:
  enum class Progress { needs_more, complete, malformed };

  /// Goes on over all bytes that have come so far; `bytes` begins at the same byte each time.
  Progress advance(const char *bytes, std::size_t count) {
    while (position_ < count) {
      const auto byte = static_cast<unsigned char>(bytes[position_]);
      ++position_;
      if (after_return_) {
        if (byte != '\n') return Progress::malformed;
        after_return_ = false;
        if (line_length_ > 0) {
          ++lines_;
          line_length_ = 0;
        } else if (lines_ > 0) {
          return Progress::complete;
        } else if (start_ > 0) {
          return Progress::malformed;
        } else {
          // RFC 9112 §2.2: one empty line before the request line is left out.
          start_ = position_;
        }
      } else if (byte == '\r') {
        after_return_ = true;
      } else if ((byte < 0x20 && byte != '\t') || byte == 0x7F) {
        return Progress::malformed;
      } else {
        ++line_length_;
      }
    }
    return Progress::needs_more;
  }

  /// Where the request line begins.
  std::size_t start() const { return start_; }
  /// One past the empty line, once it is complete.
  std::size_t end() const { return position_; }
  /// Whether the request line has not ended yet.
  bool is_in_request_line() const { return lines_ == 0; }

private:
  std::size_t position_ = 0;
  std::size_t start_ = 0;
  std::size_t line_length_ = 0;
  std::size_t lines_ = 0;
  bool after_return_ = false;
};
