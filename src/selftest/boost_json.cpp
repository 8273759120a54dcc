// Boost.JSON is used header-only in this project; here its code is compiled, once.
#include <boost/json/src.hpp>
