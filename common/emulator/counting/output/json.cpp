// SPDX-License-Identifier: MIT
#include "common/emulator/counting/output/json.hpp"

#include <cerrno>
#include <string_view>

#include "common/emulator/counting/output/findings.hpp"
#include "common/emulator/counting/output/json_text.hpp"
#include "common/emulator/counting/output/names.hpp"
#include "common/emulator/process/settings.hpp"

namespace emulator::counting {
namespace {

constexpr int kSchema = 1;

std::string access_json(Space space, EventKind kind, const Counts& counts) {
    Texts members{member("requests", counts.requests), member("lanes", counts.lanes)};
    if (has_cost(space)) {
        const std::string unit = space == Space::shared ? "wavefronts" : "sectors";
        members.push_back(member(unit, counts.units));
        members.push_back(member("ideal_" + unit, counts.ideal_units));
    }
    if (kind == EventKind::atomic) members.push_back(member("depth", counts.depth));
    return object(members);
}

const char* json_name_of(CopySort sort) {
    return sort == CopySort::plain       ? "async_copy"
           : sort == CopySort::bulk_load ? "bulk_load"
           : sort == CopySort::product   ? "wgmma"
                                         : "bulk_store";
}

std::string copy_json(CopySort sort, const Counts& counts) {
    Texts members{member("requests", counts.requests), member("lanes", counts.lanes),
                  member("bytes", counts.bytes)};
    if (sort != CopySort::product) {
        members.push_back(member("sectors", counts.units));
        members.push_back(member("ideal_sectors", counts.ideal_units));
    }
    if (sort == CopySort::plain) {
        members.push_back(member("wavefronts", counts.wavefronts));
        members.push_back(member("ideal_wavefronts", counts.ideal_wavefronts));
    }
    return object(members);
}

template <class Key, class Value>
Value value_or_none(const std::map<Key, Value>& values, const Key& key) {
    const auto found = values.find(key);
    return found == values.end() ? Value{} : found->second;
}

std::string totals_json(const KernelReport& report) {
    Texts members;
    for (const Space space : {Space::global, Space::shared}) {
        for (const EventKind kind : {EventKind::load, EventKind::store, EventKind::atomic}) {
            std::string name = name_of(space);
            name += '_';
            name += name_of(kind);
            const Counts counts = value_or_none(report.accesses, {space, kind});
            members.push_back(member_json(name, access_json(space, kind, counts)));
        }
    }
    for (const auto& [sort, counts] : report.copies) {
        // A product reads shared memory only.
        const std::string space = sort == CopySort::product ? "" : "global_";
        members.push_back(member_json(space + json_name_of(sort), copy_json(sort, counts)));
    }
    const Counts constant = value_or_none(report.accesses, {Space::constant, EventKind::load});
    const Counts blocks = value_or_none(report.others, EventKind::block);
    members.push_back(
        member_json("constant_load", access_json(Space::constant, EventKind::load, constant)));
    for (const EventKind kind : {EventKind::load, EventKind::store}) {
        const Counts texture = value_or_none(report.accesses, {Space::texture, kind});
        if (texture.requests == 0) continue;
        members.push_back(member_json(std::string("texture_") + name_of(kind),
                                      access_json(Space::texture, kind, texture)));
    }
    members.push_back(join(
        {
            member("barriers", value_or_none(report.others, EventKind::barrier).requests),
            member("collectives", value_or_none(report.others, EventKind::collective).requests),
            member("basic_blocks", blocks.requests),
            member("basic_block_lanes", blocks.lanes),
            member("alive_lanes", report.alive_lanes),
        },
        ", "));
    return object(members, ",\n       ");
}

std::string line_json(const LineKey& key, const LineCounts& entry) {
    const Counts& counts = entry.counts;
    const bool access = is_access(key.kind);
    const bool shared = key.space == Space::shared;
    const bool copy = key.kind == EventKind::copy;
    Texts members{
        member("file", key.file),
        member("line", static_cast<std::uint64_t>(key.line)),
        member("operation", copy ? json_name_of(key.sort) : name_of(key.kind)),
        member("space", access || copy ? name_of(key.space) : ""),
        member("bytes", key.bytes),
        member("requests", counts.requests),
        member("lanes", counts.lanes),
        member("alive_lanes", counts.alive_lanes),
        member("sectors", shared ? 0 : counts.units),
        member("ideal_sectors", shared ? 0 : counts.ideal_units),
        member("wavefronts", shared ? counts.units : counts.wavefronts),
        member("ideal_wavefronts", shared ? counts.ideal_units : counts.ideal_wavefronts),
        member("depth", counts.depth),
        member("instructions", entry.instructions),
    };
    if (copy) members.push_back(member("copied_bytes", counts.bytes));
    return object(members);
}

bool is_listed(EventKind kind) {
    return kind != EventKind::fence && kind != EventKind::copy_wait && kind != EventKind::phase &&
           kind != EventKind::proxy_fence;
}

std::string kernel_json(const KernelReport& report) {
    const KernelCounters& kernel = *report.kernel;
    Texts lines;
    for (const auto& [key, entry] : report.lines) {
        if (is_listed(key.kind)) lines.push_back(line_json(key, entry));
    }
    Texts numbers{
        member("name", kernel.name),     member("launches", kernel.launches),
        member("blocks", kernel.blocks), member("threads", kernel.threads),
        member("warps", kernel.warps),
    };
    if (kernel.is_sampled) {
        numbers.push_back(
            member_json("sampled", object({member("launches", kernel.recorded_launches),
                                           member("blocks", kernel.recorded_blocks)})));
    }
    const std::string counts = join(numbers, ", ");
    return object({counts, member_json("totals", totals_json(report)),
                   member_json("lines", list(lines, ",\n       "))},
                  ",\n      ");
}

std::string actor_json(const Actor& actor) {
    return object({
        member_json("block", std::to_string(actor.block)),
        member_json("thread", std::to_string(actor.thread)),
        member("file", file_name(actor.line.file)),
        member_json("line", std::to_string(actor.line.line)),
        member("did", actor.did),
    });
}

std::string finding_json(const Finding& finding) {
    Texts actors;
    for (const Actor& actor : finding.actors) actors.push_back(actor_json(actor));
    return object({
        member("kind", words_of(finding.kind).name),
        member_json("warning", is_warning(finding.kind) ? "true" : "false"),
        member("kernel", finding.kernel),
        member_json("actors", list(actors, ", ")),
        member("what", finding.what),
        member("advice", finding.advice),
        member("count", finding.count),
    });
}

std::string transfer_json(std::string_view name, TransferKind kind) {
    const Transfers& all = transfers(kind);
    return member_json(name, object({member("calls", all.calls), member("bytes", all.bytes)}));
}

}  // namespace

std::string to_json(const std::vector<KernelReport>& reports) {
    Texts all_kernels;
    for (const KernelReport& report : reports) all_kernels.push_back(kernel_json(report));
    Texts all_findings;
    for (const Finding& finding : findings()) all_findings.push_back(finding_json(finding));
    Texts all_transfers = {
        transfer_json("host_to_device", TransferKind::host_to_device),
        transfer_json("device_to_host", TransferKind::device_to_host),
        transfer_json("device_to_device", TransferKind::device_to_device),
        transfer_json("set", TransferKind::set),
    };
    // Only programs of several ranks have these.
    if (transfers(TransferKind::sent).calls + transfers(TransferKind::received).calls > 0) {
        all_transfers.push_back(transfer_json("sent", TransferKind::sent));
        all_transfers.push_back(transfer_json("received", TransferKind::received));
    }
    return object({member("schema", kSchema), member("program", program_invocation_short_name),
                   member("device", emulator::settings().device),
                   member_json("transfers", object(all_transfers)),
                   member_json("kernels", list(all_kernels, ",\n     ")),
                   member_json("findings", list(all_findings, ",\n     "))},
                  ",\n ") +
           "\n";
}

}  // namespace emulator::counting
