// SPDX-License-Identifier: MIT
// Prints the error codes of calls during stream captures, illegal ones and unusual ones. The same
// source runs on a GPU, which wrote data/capture_codes.txt, and on the CPU engine.
#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <thread>

namespace {

__global__ void add_kernel(int* values, int amount) { values[threadIdx.x] += amount; }

void show(const char* what, cudaError_t error) {
    std::printf("%s: %d\n", what, static_cast<int>(error));
    static_cast<void>(cudaGetLastError());
}

void show_number(const char* what, long long number) { std::printf("%s = %lld\n", what, number); }

// A stream that captures, a second stream, an event and memory. The destructor ends the capture.
struct Capture {
    explicit Capture(const char* name, cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal,
                     unsigned flags = cudaStreamNonBlocking) {
        std::printf("[%s]\n", name);
        cudaMalloc(&values, 256);
        cudaMallocHost(&host, 256);
        cudaStreamCreateWithFlags(&stream, flags);
        cudaStreamCreateWithFlags(&other, flags);
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
        cudaEventCreateWithFlags(&second, cudaEventDisableTiming);
        show("begin", cudaStreamBeginCapture(stream, mode));
    }
    ~Capture() {
        if (!ended) end();
        cudaDeviceSynchronize();
        cudaEventDestroy(event);
        cudaEventDestroy(second);
        cudaStreamDestroy(stream);
        cudaStreamDestroy(other);
        cudaFree(values);
        cudaFreeHost(host);
        show("clean", cudaGetLastError());
    }
    void status(const char* what, cudaStream_t of) const {
        cudaStreamCaptureStatus now = cudaStreamCaptureStatusNone;
        show(what, cudaStreamIsCapturing(of, &now));
        show_number("  status", now);
    }
    void status() const { status("is capturing", stream); }
    void launch(cudaStream_t on) {
        add_kernel<<<1, 1, 0, on>>>(values, 1);
        show("launch", cudaGetLastError());
    }
    void launch() { launch(stream); }
    void end() {
        ended = true;
        cudaGraph_t graph = nullptr;
        show("end", cudaStreamEndCapture(stream, &graph));
        show_number("  graph", graph != nullptr);
        if (graph == nullptr) return;
        std::size_t nodes = 0, edges = 0;
        cudaGraphGetNodes(graph, nullptr, &nodes);
        cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges);
        show_number("  nodes", static_cast<long long>(nodes));
        show_number("  edges", static_cast<long long>(edges));
        cudaGraphDestroy(graph);
    }
    int* values = nullptr;
    int* host = nullptr;
    cudaStream_t stream = nullptr, other = nullptr;
    cudaEvent_t event = nullptr, second = nullptr;
    bool ended = false;
};

template <class Call>
void during_capture(const char* name, Call call,
                    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal,
                    unsigned flags = cudaStreamNonBlocking) {
    Capture capture(name, mode, flags);
    show(name, call(capture));
    capture.status();
    capture.launch();
}

void plain_captures() {
    {
        Capture c("plain");
        c.launch();
        c.launch();
        c.status();
        show("begin again", cudaStreamBeginCapture(c.stream, cudaStreamCaptureModeGlobal));
        c.status();
    }
    { Capture c("empty"); }
    {
        Capture c("fork and join");
        show("record", cudaEventRecord(c.event, c.stream));
        show("wait", cudaStreamWaitEvent(c.other, c.event, 0));
        c.status("other", c.other);
        c.launch(c.other);
        c.launch(c.stream);
        show("record", cudaEventRecord(c.second, c.other));
        show("wait", cudaStreamWaitEvent(c.stream, c.second, 0));
        c.launch(c.stream);
        c.end();
        c.status("other", c.other);
    }
    {
        Capture c("fork without work or join");
        c.launch();
        show("record", cudaEventRecord(c.event, c.stream));
        show("wait", cudaStreamWaitEvent(c.other, c.event, 0));
    }
    {
        Capture c("unjoined");
        show("record", cudaEventRecord(c.event, c.stream));
        show("wait", cudaStreamWaitEvent(c.other, c.event, 0));
        c.launch(c.other);
        c.end();
        c.status("other", c.other);
    }
    {
        Capture c("ended by the other stream");
        c.launch();
        show("record", cudaEventRecord(c.event, c.stream));
        show("wait", cudaStreamWaitEvent(c.other, c.event, 0));
        cudaGraph_t graph = nullptr;
        show("end other", cudaStreamEndCapture(c.other, &graph));
        c.status();
    }
    {
        Capture c("ended twice");
        c.end();
        cudaGraph_t graph = nullptr;
        show("end again", cudaStreamEndCapture(c.stream, &graph));
    }
    {
        Capture c("ended by another thread");
        cudaGraph_t graph = nullptr;
        std::thread([&] { show("end", cudaStreamEndCapture(c.stream, &graph)); }).join();
        c.status();
    }
    {
        Capture c("ended by another thread, relaxed", cudaStreamCaptureModeRelaxed);
        cudaGraph_t graph = nullptr;
        std::thread([&] { show("end", cudaStreamEndCapture(c.stream, &graph)); }).join();
        c.status();
        c.ended = true;
        cudaGraphDestroy(graph);
    }
    std::printf("[default streams]\n");
    show("legacy", cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
    show("legacy handle", cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    show("per thread", cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureModeGlobal));
    cudaGraph_t graph = nullptr;
    show("end", cudaStreamEndCapture(cudaStreamPerThread, &graph));
    cudaGraphDestroy(graph);
    show("mode 7", cudaStreamBeginCapture(cudaStreamPerThread, cudaStreamCaptureMode(7)));
    show("end legacy", cudaStreamEndCapture(nullptr, &graph));
}

void events_in_captures() {
    during_capture("wait for an event from outside", [](Capture& c) {
        show("record", cudaEventRecord(c.event, c.other));
        return cudaStreamWaitEvent(c.stream, c.event, 0);
    });
    during_capture("wait for an event never recorded",
                   [](Capture& c) { return cudaStreamWaitEvent(c.stream, c.event, 0); });
    during_capture("external wait", [](Capture& c) {
        show("record", cudaEventRecord(c.event, c.other));
        return cudaStreamWaitEvent(c.stream, c.event, cudaEventWaitExternal);
    });
    during_capture("external record", [](Capture& c) {
        return cudaEventRecordWithFlags(c.event, c.stream, cudaEventRecordExternal);
    });
    during_capture("query of a captured event", [](Capture& c) {
        show("record", cudaEventRecord(c.event, c.stream));
        return cudaEventQuery(c.event);
    });
    during_capture("synchronize a captured event", [](Capture& c) {
        show("record", cudaEventRecord(c.event, c.stream));
        return cudaEventSynchronize(c.event);
    });
    during_capture("query of an event from outside", [](Capture& c) {
        show("record", cudaEventRecord(c.event, c.other));
        return cudaEventQuery(c.second);
    });
    during_capture(
        "query of an event from outside, thread local",
        [](Capture& c) { return cudaEventQuery(c.second); }, cudaStreamCaptureModeThreadLocal);
    during_capture("synchronize an event from outside",
                   [](Capture& c) { return cudaEventSynchronize(c.second); });
    during_capture("elapsed time", [](Capture& c) {
        float ms = 0;
        return cudaEventElapsedTime(&ms, c.event, c.second);
    });
    {
        Capture c("captured event used later");
        c.launch();
        show("record", cudaEventRecord(c.event, c.stream));
        c.end();
        show("query", cudaEventQuery(c.event));
        show("synchronize", cudaEventSynchronize(c.event));
        show("wait", cudaStreamWaitEvent(c.other, c.event, 0));
        show("record again", cudaEventRecord(c.event, c.other));
        show("synchronize", cudaEventSynchronize(c.event));
    }
    {
        Capture c("two captures meet");
        cudaStream_t third = nullptr;
        cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
        show("begin", cudaStreamBeginCapture(third, cudaStreamCaptureModeGlobal));
        show("record", cudaEventRecord(c.event, c.stream));
        show("wait", cudaStreamWaitEvent(third, c.event, 0));
        c.status();
        c.status("third", third);
        cudaGraph_t graph = nullptr;
        show("end third", cudaStreamEndCapture(third, &graph));
        cudaStreamDestroy(third);
    }
    during_capture("destroy the captured event", [](Capture& c) {
        cudaEvent_t event = nullptr;
        show("create", cudaEventCreate(&event));
        show("record", cudaEventRecord(event, c.stream));
        return cudaEventDestroy(event);
    });
    during_capture("legacy stream waits for a captured event", [](Capture& c) {
        show("record", cudaEventRecord(c.event, c.stream));
        return cudaStreamWaitEvent(nullptr, c.event, 0);
    });
    during_capture(
        "legacy stream waits, blocking",
        [](Capture& c) {
            show("record", cudaEventRecord(c.event, c.stream));
            return cudaStreamWaitEvent(nullptr, c.event, 0);
        },
        cudaStreamCaptureModeGlobal, cudaStreamDefault);
}

void calls_in_captures() {
    using Mode = cudaStreamCaptureMode;
    for (const Mode mode : {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                            cudaStreamCaptureModeRelaxed}) {
        const auto during = [mode](const char* name, auto call) {
            during_capture((std::string(name) + ", mode " + std::to_string(mode)).c_str(), call,
                           mode);
        };
        during("stream synchronize", [](Capture& c) { return cudaStreamSynchronize(c.stream); });
        during("stream query", [](Capture& c) { return cudaStreamQuery(c.stream); });
        during("synchronize the other stream",
               [](Capture& c) { return cudaStreamSynchronize(c.other); });
        during("query the other stream", [](Capture& c) { return cudaStreamQuery(c.other); });
        during("device synchronize", [](Capture&) { return cudaDeviceSynchronize(); });
        during("malloc", [](Capture&) {
            int* more = nullptr;
            const cudaError_t error = cudaMalloc(&more, 4);
            return error;
        });
        during("malloc host", [](Capture&) {
            int* more = nullptr;
            return cudaMallocHost(&more, 4);
        });
        during("malloc managed", [](Capture&) {
            int* more = nullptr;
            return cudaMallocManaged(&more, 4);
        });
        during("free of nothing", [](Capture&) { return cudaFree(nullptr); });
        during("free", [](Capture& c) {
            const cudaError_t error = cudaFree(c.values);
            if (error == cudaSuccess) c.values = nullptr;
            return error;
        });
        during("synchronous copy",
               [](Capture& c) { return cudaMemcpy(c.values, c.host, 4, cudaMemcpyHostToDevice); });
        during("synchronous set", [](Capture& c) { return cudaMemset(c.values, 0, 4); });
        during("pageable copy to the device", [](Capture& c) {
            int value = 0;
            return cudaMemcpyAsync(c.values, &value, 4, cudaMemcpyHostToDevice, c.stream);
        });
        during("pageable copy to the host", [](Capture& c) {
            static int value = 0;
            return cudaMemcpyAsync(&value, c.values, 4, cudaMemcpyDeviceToHost, c.stream);
        });
        during("set", [](Capture& c) { return cudaMemsetAsync(c.values, 0, 4, c.stream); });
        during("host function", [](Capture& c) {
            return cudaLaunchHostFunc(
                c.stream, [](void*) {}, nullptr);
        });
        during("callback", [](Capture& c) {
            return cudaStreamAddCallback(
                c.stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 0);
        });
        during("new stream", [](Capture&) {
            cudaStream_t stream = nullptr;
            return cudaStreamCreate(&stream);
        });
        during("destroy the stream of the capture", [](Capture& c) {
            const cudaError_t error = cudaStreamDestroy(c.stream);
            if (error == cudaSuccess) {
                c.ended = true;
                cudaStreamCreate(&c.stream);
            }
            return error;
        });
        during("memory info", [](Capture&) {
            std::size_t left = 0, all = 0;
            return cudaMemGetInfo(&left, &all);
        });
        during("set device", [](Capture&) { return cudaSetDevice(0); });
        during("work on the other stream", [](Capture& c) {
            add_kernel<<<1, 1, 0, c.other>>>(c.values, 1);
            return cudaGetLastError();
        });
        during("work on the legacy stream", [](Capture& c) {
            add_kernel<<<1, 1>>>(c.values, 1);
            return cudaGetLastError();
        });
        during("stream attach", [](Capture& c) {
            return cudaStreamAttachMemAsync(c.stream, c.values, 0, cudaMemAttachSingle);
        });
        during("prefetch", [](Capture& c) {
            return cudaMemPrefetchAsync(c.values, 4, {cudaMemLocationTypeDevice, 0}, 0, c.stream);
        });
        during("graph launch", [](Capture& c) {
            cudaGraph_t graph = nullptr;
            cudaGraphExec_t exec = nullptr;
            show("create", cudaGraphCreate(&graph, 0));
            show("instantiate", cudaGraphInstantiate(&exec, graph, 0));
            return cudaGraphLaunch(exec, c.stream);
        });
        during("bad launch", [](Capture& c) {
            add_kernel<<<1, 4096, 0, c.stream>>>(c.values, 1);
            return cudaGetLastError();
        });
        during("alloc and free", [](Capture& c) {
            int* more = nullptr;
            show("alloc", cudaMallocAsync(&more, 4, c.stream));
            return cudaFreeAsync(more, c.stream);
        });
    }
    during_capture(
        "legacy work beside a blocking capture",
        [](Capture& c) {
            add_kernel<<<1, 1>>>(c.values, 1);
            return cudaGetLastError();
        },
        cudaStreamCaptureModeGlobal, cudaStreamDefault);
    during_capture(
        "legacy work beside a blocking capture, relaxed",
        [](Capture& c) {
            add_kernel<<<1, 1>>>(c.values, 1);
            return cudaGetLastError();
        },
        cudaStreamCaptureModeRelaxed, cudaStreamDefault);
    during_capture(
        "legacy synchronize beside a blocking capture",
        [](Capture&) { return cudaStreamSynchronize(nullptr); }, cudaStreamCaptureModeRelaxed,
        cudaStreamDefault);
    during_capture("malloc in another thread, global", [](Capture&) {
        cudaError_t error = cudaSuccess;
        std::thread([&] {
            int* more = nullptr;
            error = cudaMalloc(&more, 4);
        }).join();
        return error;
    });
    during_capture(
        "malloc in another thread, thread local",
        [](Capture&) {
            cudaError_t error = cudaSuccess;
            std::thread([&] {
                int* more = nullptr;
                error = cudaMalloc(&more, 4);
            }).join();
            return error;
        },
        cudaStreamCaptureModeThreadLocal);
    during_capture("malloc under an exchanged mode", [](Capture&) {
        cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
        show("exchange", cudaThreadExchangeStreamCaptureMode(&mode));
        show_number("  was", mode);
        int* more = nullptr;
        const cudaError_t error = cudaMalloc(&more, 4);
        show("exchange", cudaThreadExchangeStreamCaptureMode(&mode));
        show_number("  was", mode);
        return error;
    });
}

}  // namespace

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const std::string part = argc > 1 ? argv[1] : "";
    if (part.empty() || part == "plain") plain_captures();
    if (part.empty() || part == "events") events_in_captures();
    if (part.empty() || part == "calls") calls_in_captures();
    std::printf("[end]\n");
    show("device", cudaDeviceSynchronize());
    return 0;
}
