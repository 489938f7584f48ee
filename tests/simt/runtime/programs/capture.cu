// Capture: work of streams becomes a graph; what is not allowed meanwhile, and how a
// capture that went wrong ends.

#include "say.h"

#include <pthread.h>

__global__ void add(int *p, int by)
{
    *p += by;
}

__global__ void multiply(int *p, int by)
{
    *p *= by;
}

static cudaStream_t a, b, c, free_running;
static int *d, *e;

static const char *status_of(cudaStream_t s)
{
    static const char *const names[] = {"none", "active", "invalidated"};
    cudaStreamCaptureStatus status;
    must(cudaStreamIsCapturing(s, &status));
    return names[status];
}

static size_t nodes_of(cudaGraph_t graph)
{
    size_t nodes = 0;
    must(cudaGraphGetNodes(graph, nullptr, &nodes));
    return nodes;
}

static size_t edges_of(cudaGraph_t graph)
{
    size_t edges = 0;
    must(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    return edges;
}

static int value_of(const int *p)
{
    int value;
    must(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    return value;
}

static void put(int *p, int value)
{
    must(cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice));
}

static void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal)
{
    must(cudaStreamBeginCapture(a, mode));
}

// End a capture that is expected to have failed.
static void end_bad()
{
    cudaGraph_t graph = (cudaGraph_t)16;
    printf("  status %s\n", status_of(a));
    cudaError_t code = cudaStreamEndCapture(a, &graph);
    printf("  end: %s, graph %s, then %s, last %s\n", cudaGetErrorName(code),
           graph ? "some" : "null", status_of(a), cudaGetErrorName(cudaGetLastError()));
    if (code == cudaSuccess)
        must(cudaGraphDestroy(graph));
}

static void replays()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    put(d, 1);
    begin();
    printf("status %s, %s\n", status_of(a), status_of(b));
    add<<<1, 1, 0, a>>>(d, 2);
    multiply<<<1, 1, 0, a>>>(d, 3);
    must(cudaMemcpyAsync(e, d, 4, cudaMemcpyDeviceToDevice, a));
    must(cudaMemsetAsync(d, 0, 4, a));
    must(cudaMemcpyAsync(d, e, 4, cudaMemcpyDeviceToDevice, a));
    must(cudaStreamEndCapture(a, &graph));
    printf("not run yet: %d\n", value_of(d));
    printf("%zu nodes, %zu edges\n", nodes_of(graph), edges_of(graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphDestroy(graph));
    for (int i = 0; i < 3; i++)
        must(cudaGraphLaunch(exec, b));
    must(cudaStreamSynchronize(b));
    printf("three launches: %d %d\n", value_of(d), value_of(e));
    must(cudaGraphExecDestroy(exec));
}

static void forks_and_joins()
{
    cudaEvent_t fork, join;
    cudaGraph_t graph, seen;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    unsigned long long id = 0, other = 0;
    const cudaGraphNode_t *before;
    size_t count;
    must(cudaEventCreate(&fork));
    must(cudaEventCreate(&join));
    put(d, 5);
    put(e, 7);
    begin(cudaStreamCaptureModeThreadLocal);
    add<<<1, 1, 0, a>>>(d, 1);
    must(cudaEventRecord(fork, a));
    must(cudaStreamWaitEvent(b, fork, 0));
    printf("b is %s\n", status_of(b));
    must(cudaStreamGetCaptureInfo(a, &status, &id, &seen, &before, nullptr, &count));
    must(cudaStreamGetCaptureInfo(b, &status, &other));
    printf("one capture: %d, after %zu nodes\n", id == other && id, count);
    multiply<<<1, 1, 0, a>>>(d, 2);
    add<<<1, 1, 0, b>>>(e, 10);
    must(cudaEventRecord(join, b));
    must(cudaStreamWaitEvent(a, join, 0));
    must(cudaStreamGetCaptureInfo(a, &status, &id, nullptr, &before, nullptr, &count));
    printf("after the join: %zu\n", count);
    add<<<1, 1, 0, a>>>(d, 100);
    must(cudaStreamEndCapture(a, &graph));
    printf("same graph: %d, b is %s\n", graph == seen, status_of(b));
    printf("%zu nodes, %zu edges\n", nodes_of(graph), edges_of(graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, a));
    must(cudaDeviceSynchronize());
    printf("forked: %d %d\n", value_of(d), value_of(e));
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    must(cudaEventDestroy(fork));
    must(cudaEventDestroy(join));
}

static void into_a_graph_that_there_is()
{
    cudaGraph_t graph, same;
    cudaGraphNode_t first, last;
    size_t count = 1;
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphAddEmptyNode(&first, graph, nullptr, 0));
    must(cudaStreamBeginCaptureToGraph(a, graph, &first, nullptr, 1,
                                       cudaStreamCaptureModeRelaxed));
    add<<<1, 1, 0, a>>>(d, 1);
    must(cudaStreamEndCapture(a, &same));
    must(cudaGraphNodeGetDependentNodes(first, &last, nullptr, &count));
    cudaGraphNodeType type;
    must(cudaGraphNodeGetType(last, &type));
    printf("to a graph: same %d, %zu nodes, %zu dependent, type %d\n", graph == same,
           nodes_of(graph), count, type);
    begin();
    add<<<1, 1, 0, a>>>(d, 1);
    must(cudaStreamUpdateCaptureDependencies(a, nullptr, nullptr, 0,
                                             cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, a>>>(e, 1);
    must(cudaStreamEndCapture(a, &same));
    printf("dependencies dropped: %zu nodes, %zu edges\n", nodes_of(same),
           edges_of(same));
    must(cudaGraphDestroy(same));
    must(cudaGraphDestroy(graph));
}

static void begins_and_ends_wrongly()
{
    cudaGraph_t graph;
    SAY(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal));
    SAY(cudaStreamBeginCapture(a, (cudaStreamCaptureMode)7));
    SAY(cudaStreamEndCapture(a, &graph));
    SAY(cudaStreamIsCapturing(a, nullptr));
    begin();
    SAY(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    cudaStreamEndCapture(a, &graph);
    cudaGetLastError();
    begin();
    SAY(cudaStreamEndCapture(b, &graph));
    end_bad();
}

// One call in the middle of a capture.
#define DURING(mode, call)                                                             \
    do {                                                                               \
        begin(mode);                                                                   \
        SAY(call);                                                                     \
        end_bad();                                                                     \
    } while (0)

static void calls_that_may_not_be(cudaStreamCaptureMode mode)
{
    int host = 0;
    void *p = nullptr;
    cudaEvent_t event;
    must(cudaEventCreate(&event));
    DURING(mode, cudaStreamSynchronize(a));
    DURING(mode, cudaStreamQuery(a));
    DURING(mode, cudaDeviceSynchronize());
    DURING(mode, cudaMalloc(&p, 16));
    if (p)
        must(cudaFree(p));
    DURING(mode, cudaMemcpy(&host, d, 4, cudaMemcpyDeviceToHost));
    DURING(mode, cudaMemcpyAsync(&host, d, 4, cudaMemcpyDeviceToHost, a));
    DURING(mode, cudaMemsetAsync(d, 0, 4, free_running));
    DURING(mode, cudaEventQuery(event));
    DURING(mode, cudaStreamGetFlags(a, (unsigned *)&host));
    must(cudaEventDestroy(event));
}

static void crossed_captures()
{
    cudaEvent_t event, outside;
    cudaGraph_t graph;
    must(cudaEventCreate(&event));
    must(cudaEventCreate(&outside));
    must(cudaEventRecord(outside, b));
    puts("waits for work outside");
    begin();
    SAY(cudaStreamWaitEvent(a, outside, 0));
    end_bad();
    puts("an event of the capture is asked outside");
    begin();
    must(cudaEventRecord(event, a));
    SAY(cudaEventSynchronize(event));
    end_bad();
    begin();
    must(cudaEventRecord(event, a));
    SAY(cudaEventQuery(event));
    end_bad();
    puts("never joined");
    begin();
    must(cudaEventRecord(event, a));
    must(cudaStreamWaitEvent(b, event, 0));
    add<<<1, 1, 0, b>>>(d, 1);
    end_bad();
    printf("b is %s\n", status_of(b));
    puts("two captures meet");
    begin();
    must(cudaStreamBeginCapture(b, cudaStreamCaptureModeGlobal));
    must(cudaEventRecord(event, a));
    SAY(cudaStreamWaitEvent(b, event, 0));
    cudaStreamEndCapture(a, &graph);
    cudaStreamEndCapture(b, &graph);
    cudaGetLastError();
    must(cudaEventDestroy(event));
    must(cudaEventDestroy(outside));
}

static void *ends_elsewhere(void *)
{
    cudaGraph_t graph;
    SAY(cudaStreamEndCapture(a, &graph));
    return nullptr;
}

static void *allocates(void *)
{
    void *p;
    SAY(cudaMalloc(&p, 16));
    return nullptr;
}

static void in_a_thread(void *(*function)(void *))
{
    pthread_t thread;
    pthread_create(&thread, nullptr, function, nullptr);
    pthread_join(thread, nullptr);
}

static void threads()
{
    puts("ended in another thread");
    begin(cudaStreamCaptureModeThreadLocal);
    in_a_thread(ends_elsewhere);
    end_bad();
    begin(cudaStreamCaptureModeRelaxed);
    in_a_thread(ends_elsewhere);
    puts("another thread allocates");
    begin(cudaStreamCaptureModeGlobal);
    in_a_thread(allocates);
    end_bad();
    begin(cudaStreamCaptureModeThreadLocal);
    in_a_thread(allocates);
    end_bad();
    puts("the mode is exchanged");
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    begin();
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    printf("it was %d\n", mode);
    void *p;
    SAY(cudaMalloc(&p, 16));
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    end_bad();
}

int main()
{
    must(cudaMalloc(&d, 4));
    must(cudaMalloc(&e, 4));
    must(cudaStreamCreate(&a));
    must(cudaStreamCreate(&b));
    must(cudaStreamCreate(&c));
    must(cudaStreamCreateWithFlags(&free_running, cudaStreamNonBlocking));
    replays();
    forks_and_joins();
    into_a_graph_that_there_is();
    begins_and_ends_wrongly();
    for (int mode = 0; mode < 3; mode++) {
        printf("mode %d\n", mode);
        calls_that_may_not_be((cudaStreamCaptureMode)mode);
    }
    crossed_captures();
    threads();
    SAY(cudaDeviceSynchronize());
}
