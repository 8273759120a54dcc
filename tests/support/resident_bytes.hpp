// Memory of this process that is in use now, as the system counts it. Threads: any.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <fstream>

namespace stint::inline v0 {

[[nodiscard]] inline std::size_t resident_bytes() {
    std::ifstream statm{"/proc/self/statm"};
    std::size_t size_pages = 0;
    std::size_t resident_pages = 0;
    statm >> size_pages >> resident_pages;
    return resident_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace stint::inline v0
