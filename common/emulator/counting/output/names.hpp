// SPDX-License-Identifier: MIT
// The words for events in all output.
#pragma once

#include "common/emulator/counting/record/event.hpp"

namespace emulator::counting {

inline const char* name_of(EventKind kind) {
    switch (kind) {
        case EventKind::load:
            return "load";
        case EventKind::store:
            return "store";
        case EventKind::atomic:
            return "atomic";
        case EventKind::block:
            return "block";
        case EventKind::barrier:
            return "barrier";
        case EventKind::collective:
            return "collective";
        case EventKind::fence:
            return "fence";
    }
    return "";
}

inline const char* name_of(Space space) {
    switch (space) {
        case Space::global:
            return "global";
        case Space::shared:
            return "shared";
        case Space::constant:
            return "constant";
    }
    return "";
}

inline bool is_access(EventKind kind) {
    return kind == EventKind::load || kind == EventKind::store || kind == EventKind::atomic;
}

}  // namespace emulator::counting
