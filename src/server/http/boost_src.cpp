// The part of Boost.JSON that is compiled once; Debian ships Boost 1.81 as headers.
#include <boost/json/src.hpp>
