// SPDX-License-Identifier: MIT
#include "common/emulator/runtime/exec.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <unordered_map>
#include <utility>

#include "common/emulator/device/host_hooks.hpp"
#include "common/emulator/device/memory.hpp"
#include "common/emulator/process/errors.hpp"
#include "common/emulator/process/settings.hpp"
#include "common/emulator/runtime/capture.hpp"
#include "common/emulator/runtime/event.hpp"

namespace emulator {
namespace {

// A conditional node's body may run any number of times: each launch takes so many numbers.
constexpr std::uint64_t kBodyRuns = std::uint64_t{1} << 32;

std::unordered_map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>>& execs() {
    static auto* all = new std::unordered_map<cudaGraphExec_t, std::unique_ptr<CUgraphExec_st>>;
    return *all;
}

class Planner {
  public:
    Planner(Plan& plan, std::vector<Chain>& chains) : plan_(plan), chains_(chains) {}

    // Appends the graph's nodes, all after `before`. Returns the last ones.
    std::vector<std::size_t> append(const Graph& graph, const std::vector<std::size_t>& before) {
        std::unordered_map<const GraphNode*, std::size_t> rank;
        std::unordered_map<const GraphNode*, std::size_t> left;
        std::set<std::size_t> ready;
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            const GraphNode* node = graph.nodes[i].get();
            rank[node] = i;
            left[node] = node->dependencies.size();
            if (node->dependencies.empty()) ready.insert(i);
        }
        std::unordered_map<const GraphNode*, std::size_t> place;
        std::vector<std::size_t> ends;
        while (!ready.empty()) {
            const GraphNode& node = *graph.nodes[*ready.begin()];
            ready.erase(ready.begin());
            std::vector<std::size_t> after;
            for (const GraphNode* dependency : node.dependencies) {
                after.push_back(place.at(dependency));
            }
            if (after.empty()) after = before;
            place[&node] = append_node(node, std::move(after));
            if (node.dependents.empty()) ends.push_back(place[&node]);
            for (const GraphNode* next : node.dependents) {
                if (--left[next] == 0) ready.insert(rank[next]);
            }
        }
        return ends.empty() ? before : ends;
    }

  private:
    std::size_t append_node(const GraphNode& node, std::vector<std::size_t> before) {
        PlanNode made;
        made.source = const_cast<cudaGraphNode_t>(&node);
        made.graph = node.graph->id;
        made.number = node.number;
        made.device = node.device;
        made.work = node.work;
        made.before = std::move(before);
        const cudaGraphNodeType type = node.work->type();
        if (type == cudaGraphNodeTypeConditional) {
            for (const Graph* child : node.children) {
                made.bodies.push_back(make_plan(*child, chains_));
            }
        }
        if (type != cudaGraphNodeTypeGraph) return place(std::move(made));
        PlanNode end = made;
        end.source = nullptr;
        end.before = append(*node.children.front(), {place(std::move(made))});
        return place(std::move(end));
    }

    // A node continues a chain that ends at one of its dependencies, or begins a new one.
    std::size_t place(PlanNode node) {
        const std::size_t index = plan_.nodes.size();
        const auto last = std::find_if(node.before.begin(), node.before.end(),
                                       [&](std::size_t i) { return ends_chain_[i]; });
        if (last != node.before.end()) {
            node.chain = plan_.nodes[*last].chain;
            ends_chain_[*last] = false;
        } else {
            node.chain = chains_.size();
            chains_.emplace_back();
        }
        node.position = ++chains_[node.chain].length;
        ends_chain_.push_back(true);
        plan_.nodes.push_back(std::move(node));
        return index;
    }

    Plan& plan_;
    std::vector<Chain>& chains_;
    std::vector<bool> ends_chain_;
};

// One launch, or one run of a conditional node's body.
class Run {
  public:
    Run(const Plan& plan, const std::vector<Chain>& chains, std::uint64_t repetition)
        : plan_(plan), chains_(chains), repetition_(repetition) {
        for (const PlanNode& node : plan.nodes) {
            tasks_.push_back(node.is_enabled ? node.work->make_task(node.device) : nullptr);
        }
    }

    // All nodes, those without an order in the schedule's.
    void run(const Clock& base) {
        std::vector<std::size_t> left(plan_.nodes.size());
        std::vector<std::vector<std::size_t>> after(plan_.nodes.size());
        std::vector<Clock> ends(plan_.nodes.size());
        std::set<std::size_t> ready;
        for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
            left[i] = plan_.nodes[i].before.size();
            for (const std::size_t before : plan_.nodes[i].before) after[before].push_back(i);
            if (left[i] == 0) ready.insert(i);
        }
        std::uint64_t random = mix_bits(settings().schedule.seed + repetition_);
        while (!ready.empty() && sticky_error() == cudaSuccess) {
            const auto pick =
                std::next(ready.begin(), choose(static_cast<std::int64_t>(ready.size()), random));
            const std::size_t index = *pick;
            ready.erase(pick);
            run_node(index, base, ends);
            for (const std::size_t next : after[index]) {
                if (--left[next] == 0) ready.insert(next);
            }
        }
    }

  private:
    void run_node(std::size_t index, const Clock& base, std::vector<Clock>& ends) {
        const PlanNode& node = plan_.nodes[index];
        if (host_hooks.task_begun != nullptr) {
            Clock& clock = ends[index];
            clock = base;
            for (const std::size_t before : node.before) clock.join(ends[before]);
            const Chain& chain = chains_[node.chain];
            const TaskPlace place{
                chain.id.stream,   chain.id.sequence + repetition_ * chain.length + node.position,
                node.graph,        node.number,
                chain.id.instance, node.device};
            host_hooks.task_begun(place, clock);
            clock.advance(place.stream, place.sequence);
        }
        if (tasks_[index] != nullptr) tasks_[index]->run();
        tasks_[index] = nullptr;
        if (!node.bodies.empty() && node.is_enabled) run_bodies(node, ends[index]);
    }

    void run_bodies(const PlanNode& node, const Clock& base) {
        const cudaConditionalNodeParams& parameters =
            static_cast<const ConditionalWork&>(*node.work).parameters;
        const Conditional* condition = find_conditional(parameters.handle);
        for (std::uint64_t runs = 0; condition != nullptr && sticky_error() == cudaSuccess;
             ++runs) {
            const unsigned value = condition->value;
            std::size_t body = value;  // of a switch
            if (parameters.type != cudaGraphCondTypeSwitch) body = value != 0 ? 0 : 1;
            if (parameters.type == cudaGraphCondTypeWhile && value == 0) return;
            if (body >= node.bodies.size()) return;
            Run(*node.bodies[body], chains_, runs).run(base);
            if (parameters.type != cudaGraphCondTypeWhile) return;
        }
    }

    const Plan& plan_;
    const std::vector<Chain>& chains_;
    std::uint64_t repetition_;
    std::vector<std::unique_ptr<Task>> tasks_;
};

void set_default_conditions(const Plan& plan) {
    for (const PlanNode& node : plan.nodes) {
        if (node.bodies.empty()) continue;
        Conditional* condition =
            find_conditional(static_cast<const ConditionalWork&>(*node.work).parameters.handle);
        if (condition != nullptr && condition->has_default) {
            condition->value = condition->default_value;
        }
        for (const auto& body : node.bodies) set_default_conditions(*body);
    }
}

template <class Function>
void for_each_node(const Plan& plan, Function function) {
    for (const PlanNode& node : plan.nodes) {
        function(node);
        for (const auto& body : node.bodies) for_each_node(*body, function);
    }
}

// A launch is queued: an error if memory of an earlier one is still allocated, unless the launch
// frees it first.
cudaError_t note_launch_of_memory(const Plan& plan, bool frees_first) {
    bool is_left = false;
    for_each_node(plan, [&](const PlanNode& node) { is_left |= node.work->has_left_memory(); });
    if (is_left && !frees_first) {
        explain(
            "cudaGraphLaunch: memory that an earlier launch allocated was not freed: free it, or "
            "instantiate with cudaGraphInstantiateFlagAutoFreeOnLaunch");
        return cudaErrorInvalidValue;
    }
    for_each_node(plan, [](const PlanNode& node) { node.work->note_launch_allocates(); });
    for_each_node(plan, [](const PlanNode& node) { node.work->note_launch_frees(); });
    return cudaSuccess;
}

// Frees what earlier launches have left.
void free_left_memory(const Plan& plan) {
    for_each_node(plan, [](const PlanNode& node) { node.work->free_left_memory(); });
}

class LaunchTask final : public Task {
  public:
    LaunchTask(std::shared_ptr<const Plan> plan, std::vector<Chain> chains, bool frees_first)
        : plan_(std::move(plan)),
          chains_(std::move(chains)),
          frees_first_(frees_first),
          run_(*plan_, chains_, 0) {}

    void run() override {
        if (frees_first_) free_left_memory(*plan_);
        set_default_conditions(*plan_);
        before_nodes.join(before);
        run_.run(before_nodes);
    }

    Clock before_nodes;  // beside what comes before the launch in its stream

  private:
    std::shared_ptr<const Plan> plan_;
    std::vector<Chain> chains_;
    bool frees_first_;
    Run run_;
};

// What comes before a node in one launch, and the node itself.
void join_ancestors(const Plan& plan, const std::vector<Chain>& chains, std::size_t index,
                    Clock& clock) {
    std::vector<std::size_t> open{index};
    std::vector<bool> seen(plan.nodes.size());
    while (!open.empty()) {
        const PlanNode& node = plan.nodes[open.back()];
        open.pop_back();
        const TaskPlace& id = chains[node.chain].id;
        clock.advance(id.stream, id.sequence + node.position);
        for (const std::size_t before : node.before) {
            if (!seen[before]) open.push_back(before);
            seen[before] = true;
        }
    }
}

const EventWork* event_work(const PlanNode& node, cudaGraphNodeType type) {
    return node.is_enabled && node.work->type() == type
               ? static_cast<const EventWork*>(node.work.get())
               : nullptr;
}

// The graph waits for the events' records before the launch. Waiting as a whole is allowed: only
// the nodes after the event's node need it.
void wait_for_events(const Plan& plan, LaunchTask& task) {
    for (const PlanNode& node : plan.nodes) {
        const EventWork* work = event_work(node, cudaGraphNodeTypeWaitEvent);
        if (work == nullptr || !work->event->recorded) continue;
        task.before_nodes.join(work->event->clock);
        task.waits_for.push_back(work->event->progress);
    }
}

void record_events(const CUgraphExec_st& exec, Stream& stream, std::uint64_t sequence,
                   const Clock& base) {
    const Plan& plan = *exec.plan;
    for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
        const EventWork* work = event_work(plan.nodes[i], cudaGraphNodeTypeEventRecord);
        if (work == nullptr) continue;
        Clock clock = base;
        if (host_hooks.task_begun != nullptr) join_ancestors(plan, exec.chains, i, clock);
        record_event(*work->event, stream, sequence, clock);
    }
}

std::shared_ptr<Plan> copy_plan(const Plan& plan) {
    auto copy = std::make_shared<Plan>(plan);
    for (PlanNode& node : copy->nodes) {
        for (auto& body : node.bodies) body = copy_plan(*body);
    }
    return copy;
}

}  // namespace

PlanNode* Plan::find(cudaGraphNode_t source) {
    for (PlanNode& node : nodes) {
        if (node.source == source) return &node;
        for (const auto& body : node.bodies) {
            if (PlanNode* found = body->find(source)) return found;
        }
    }
    return nullptr;
}

std::shared_ptr<Plan> make_plan(const Graph& graph, std::vector<Chain>& chains) {
    auto plan = std::make_shared<Plan>();
    Planner(*plan, chains).append(graph, {});
    return plan;
}

cudaGraphExec_t create_exec(Graph& graph, unsigned long long flags) {
    auto exec = std::make_unique<CUgraphExec_st>();
    exec->plan = make_plan(graph, exec->chains);
    exec->graph = &clone_graph(graph);
    exec->flags = flags;
    static std::uint64_t last_instance = 0;
    ++last_instance;
    for (Chain& chain : exec->chains) {
        chain.id = take_id();
        chain.id.instance = last_instance;
    }
    cudaGraphExec_t const handle = exec.get();
    execs()[handle] = std::move(exec);
    return handle;
}

cudaGraphExec_t find_exec(cudaGraphExec_t handle) {
    return execs().contains(handle) ? handle : nullptr;
}

bool has_exec(const Graph& graph) {
    return std::any_of(execs().begin(), execs().end(),
                       [&](const auto& entry) { return entry.second->graph->original == &graph; });
}

void destroy_exec(cudaGraphExec_t exec) {
    for (const Chain& chain : exec->chains) give_back_id(chain.id);
    if (find_graph(exec->graph) != nullptr) destroy_graph(*exec->graph);
    execs().erase(exec);
}

void forget_execs() {
    while (!execs().empty()) destroy_exec(execs().begin()->first);
}

Plan& change_plan(CUgraphExec_st& exec) {
    if (exec.plan.use_count() > 1) exec.plan = copy_plan(*exec.plan);
    return *exec.plan;
}

cudaError_t launch_exec(CUgraphExec_st& exec, Stream& stream) {
    const bool frees_first = (exec.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
    const cudaError_t error = note_launch_of_memory(*exec.plan, frees_first);
    if (error != cudaSuccess) return error;
    auto made = std::make_unique<LaunchTask>(exec.plan, exec.chains, frees_first);
    LaunchTask& task = *made;
    if (exec.last.stream != nullptr && !is_done(exec.last)) task.waits_for.push_back(exec.last);
    task.before_nodes = exec.clock;
    wait_for_events(*exec.plan, task);
    const std::uint64_t sequence = enqueue(stream, std::unique_ptr<Task>(std::move(made)));
    Clock clock = stream.clock;
    clock.join(task.before_nodes);
    record_events(exec, stream, sequence, clock);
    if (host_hooks.task_begun != nullptr) {
        for (Chain& chain : exec.chains) {
            chain.id.sequence += chain.length * kBodyRuns;
            clock.advance(chain.id.stream, chain.id.sequence);
        }
        note_queued(stream, clock);
        exec.clock = clock;
    }
    exec.last = {stream.shared_from_this(), sequence};
    return cudaSuccess;
}

}  // namespace emulator

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value) {
    if (emulator::Conditional* condition = emulator::find_conditional(handle)) {
        condition->value = value;
    }
}
