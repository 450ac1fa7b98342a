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
        case EventKind::copy:
            return "copy";
        case EventKind::copy_wait:
            return "wait for copies";
        case EventKind::phase:
            return "mbarrier";
        case EventKind::proxy_fence:
            return "proxy fence";
    }
    return "";
}

// The words for a copy: an instruction of the LSU, or of the bulk copy unit.
inline const char* name_of(CopySort sort) {
    switch (sort) {
        case CopySort::plain:
            return "async copy";
        case CopySort::bulk_load:
            return "bulk load";
        case CopySort::product:
            return "wgmma";
        default:
            return "bulk store";
    }
}

inline const char* name_of(Space space) {
    switch (space) {
        case Space::global:
            return "global";
        case Space::shared:
            return "shared";
        case Space::constant:
            return "constant";
        case Space::texture:
            return "texture";
    }
    return "";
}

// Whether sectors or wavefronts are known for the space.
inline bool has_cost(Space space) { return space == Space::global || space == Space::shared; }

inline bool is_access(EventKind kind) {
    return kind == EventKind::load || kind == EventKind::store || kind == EventKind::atomic;
}

}  // namespace emulator::counting
