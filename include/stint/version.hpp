// Which version of stint this is. What a version promises: docs/packaging.md.
#pragma once

#define STINT_VERSION_MAJOR 0
#define STINT_VERSION_MINOR 1
#define STINT_VERSION_PATCH 0
/// The same as text.
#define STINT_VERSION "0.1.0"
