#include "base/file_watch.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace stint::inline v0 {
namespace {

namespace fs = std::filesystem;

class FileWatchTest : public testing::Test {
protected:
    FileWatchTest() {
        std::string pattern = (fs::temp_directory_path() / "stint-watch-XXXXXX").string();
        folder_ = ::mkdtemp(pattern.data());
    }
    ~FileWatchTest() override { fs::remove_all(folder_); }

    void write(const fs::path& name, const std::string& text) { std::ofstream(folder_ / name) << text; }

    fs::path folder_;
};

/// One look sees the change, the next one that it has settled.
bool noticed(FileWatch& watch) {
    const bool at_once = watch.changed();
    return !at_once && watch.changed();
}

TEST_F(FileWatchTest, ReportsAChangedFileUntilItIsMarked) {
    write("rules.yaml", "one");
    FileWatch watch{folder_ / "rules.yaml"};
    EXPECT_FALSE(watch.changed());
    write("rules.yaml", "two!");
    EXPECT_TRUE(noticed(watch));
    EXPECT_TRUE(watch.changed());
    watch.mark();
    EXPECT_FALSE(watch.changed());
}

TEST_F(FileWatchTest, WaitsForAFileThatIsStillBeingWritten) {
    write("rules.yaml", "");
    FileWatch watch{folder_ / "rules.yaml"};
    for (std::size_t size = 1; size < 5; ++size) {
        write("rules.yaml", std::string(size, 'x'));
        EXPECT_FALSE(watch.changed());
    }
    EXPECT_TRUE(watch.changed());
}

TEST_F(FileWatchTest, ReportsAFileThatGoesAndComesBack) {
    write("rules.yaml", "one");
    FileWatch watch{folder_ / "rules.yaml"};
    fs::remove(folder_ / "rules.yaml");
    EXPECT_TRUE(noticed(watch));
    watch.mark();
    write("rules.yaml", "one");
    EXPECT_TRUE(noticed(watch));
}

TEST_F(FileWatchTest, FollowsTheLinkThatKubernetesSwaps) {
    // A ConfigMap volume: rules.yaml -> ..data/rules.yaml, ..data -> ..v1.
    fs::create_directory(folder_ / "..v1");
    fs::create_directory(folder_ / "..v2");
    write("..v1/rules.yaml", "same size 1");
    write("..v2/rules.yaml", "same size 2");
    fs::create_directory_symlink("..v1", folder_ / "..data");
    fs::create_symlink("..data/rules.yaml", folder_ / "rules.yaml");
    FileWatch file{folder_ / "rules.yaml"};
    FileWatch folder{folder_};
    fs::create_directory_symlink("..v2", folder_ / "..data_tmp");
    fs::rename(folder_ / "..data_tmp", folder_ / "..data");
    EXPECT_TRUE(noticed(file));
    EXPECT_TRUE(noticed(folder));
}

TEST_F(FileWatchTest, SeesFilesAddedToAFolderAndRemovedFromIt) {
    write("a.yaml", "a");
    FileWatch watch{folder_};
    write("b.yml", "b");
    EXPECT_TRUE(noticed(watch));
    watch.mark();
    fs::remove(folder_ / "a.yaml");
    EXPECT_TRUE(noticed(watch));
    watch.mark();
    write("notes.txt", "no rules");
    write(".hidden.yaml", "no rules");
    EXPECT_FALSE(noticed(watch));
}

}  // namespace
}  // namespace stint::inline v0
