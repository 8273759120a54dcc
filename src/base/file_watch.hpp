// Notices that a rule file, or the rule files of a folder, have changed, by
// looking at them every so often. Looking follows links, so that it sees
// Kubernetes swap the `..data` link under a mounted ConfigMap, and works on
// network volumes, where the kernel's change notifications do not.
// Threads: one object belongs to one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stint::inline v0 {

class FileWatch {
public:
    explicit FileWatch(std::filesystem::path file_or_folder);

    /// Looks once. Returns: whether there is something new, which has stayed
    /// the same since the last look: what is still being written is not reported.
    [[nodiscard]] bool changed();

    /// What is there now is known: to be called before reading it, so that a
    /// change during the reading is reported.
    void mark();

private:
    struct Entry {
        std::string name;
        int problem = 0;  ///< errno, if it cannot be looked at
        std::uint64_t device = 0;
        std::uint64_t inode = 0;
        std::int64_t size = 0;
        std::int64_t modified_ns = 0;
        std::int64_t changed_ns = 0;
        friend bool operator==(const Entry&, const Entry&) = default;
    };
    using Look = std::vector<Entry>;

    [[nodiscard]] Look look() const;
    static Entry entry_of(const std::filesystem::path& path);

    std::filesystem::path path_;
    Look known_;
    Look last_;
};

}  // namespace stint::inline v0
