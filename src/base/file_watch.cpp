#include "base/file_watch.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace stint::inline v0 {
namespace {

std::int64_t nanoseconds(const timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileWatch::FileWatch(std::filesystem::path file_or_folder) : path_(std::move(file_or_folder)) {
    mark();
}

bool FileWatch::changed() {
    Look now = look();
    const bool settled = now == last_;
    last_ = std::move(now);
    return settled && last_ != known_;
}

void FileWatch::mark() {
    known_ = look();
    last_ = known_;
}

FileWatch::Look FileWatch::look() const {
    std::error_code failed;
    if (!std::filesystem::is_directory(path_, failed)) return {entry_of(path_)};
    Look entries;
    for (std::filesystem::directory_iterator at{path_, failed}, end; !failed && at != end; at.increment(failed)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with('.') || !(name.ends_with(".yaml") || name.ends_with(".yml"))) continue;
        entries.push_back(entry_of(at->path()));
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
    return entries;
}

FileWatch::Entry FileWatch::entry_of(const std::filesystem::path& path) {
    Entry entry{.name = path.string()};
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) {
        entry.problem = errno;
        return entry;
    }
    entry.device = status.st_dev;
    entry.inode = status.st_ino;
    entry.size = status.st_size;
    entry.modified_ns = nanoseconds(status.st_mtim);
    entry.changed_ns = nanoseconds(status.st_ctim);
    return entry;
}

}  // namespace stint::inline v0
