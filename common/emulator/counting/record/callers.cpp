// SPDX-License-Identifier: MIT
#include "common/emulator/counting/record/callers.hpp"

#include <unwind.h>

#include <vector>

namespace emulator::counting {
namespace {

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* result) {
    auto& callers = *static_cast<Callers*>(result);
    if (callers.count == Callers::kMax) return _URC_END_OF_STACK;
    callers.code[callers.count++] = reinterpret_cast<const void*>(_Unwind_GetIP(context));
    return _URC_NO_REASON;
}

}  // namespace

SourceLine Callers::line() const {
    if (count == 0) return {};
    const auto first = code.begin();
    return find_line(*first, std::vector<const void*>(first + 1, first + count));
}

Callers running_callers() {
    Callers callers;
    _Unwind_Backtrace(take_frame, &callers);
    return callers;
}

std::shared_ptr<const void> note_caller() { return std::make_shared<Callers>(running_callers()); }

}  // namespace emulator::counting
