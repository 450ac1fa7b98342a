// SPDX-License-Identifier: MIT
// What the files of libcommon_host and libemulator include most often. It is precompiled for each
// target with many of them: parsing it takes a third of the time of most files. No file includes
// it, and each file includes what it uses, as if there were no such header.
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>
