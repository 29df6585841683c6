#include "cpu_reference/loaders/byte_reader.h"

#include "core/words/words.h"
#include "cpu_reference/loaders/file_error.h"

namespace kvarium::cpu {

std::span<const std::byte> ByteReader::take(std::uint64_t count, std::string_view what) {
  if (count > left()) {
    fail_file(file_,
              tr_format("{} at byte {} needs {} bytes and {} are left: the file is truncated or damaged, copy it "
                        "again",
                        what, position_, count, left()));
  }
  const auto taken = bytes_.subspan(position_, count);
  position_ += count;
  return taken;
}

std::string_view ByteReader::text(std::string_view what) {
  const auto length = number<std::uint64_t>(what);
  const std::span<const std::byte> bytes = take(length, what);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void ByteReader::expect_room(std::uint64_t count, std::uint64_t least_bytes, std::string_view what) const {
  if (count > left() / least_bytes) {
    fail_file(file_, tr_format("{} {} at byte {} need at least {} bytes each and {} are left: the file is truncated or "
                               "damaged, copy it again",
                               count, what, position_, least_bytes, left()));
  }
}

}  // namespace kvarium::cpu
