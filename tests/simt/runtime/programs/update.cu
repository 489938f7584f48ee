// Executable graphs: nodes changed, switched off, a whole graph taken over, and why it
// cannot be; many launches in stream order.

#include "say.h"

__global__ void add(int *p, int by)
{
    *p += by;
}

__global__ void multiply(int *p, int by)
{
    *p *= by;
}

static int *d, *e;
static int calls;

static void call(void *by)
{
    calls += (int)(size_t)by;
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

static cudaKernelNodeParams kernel_node(void *function, void **arguments)
{
    cudaKernelNodeParams p = {};
    p.func = function;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    return p;
}

static cudaGraphNode_t add_kernel(cudaGraph_t graph, const cudaGraphNode_t *after,
                                  void *function, int *p, int by)
{
    cudaGraphNode_t node;
    void *arguments[] = {&p, &by};
    cudaKernelNodeParams k = kernel_node(function, arguments);
    must(cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &k));
    return node;
}

static int launched(cudaGraphExec_t exec, int from)
{
    put(d, from);
    must(cudaGraphLaunch(exec, 0));
    must(cudaDeviceSynchronize());
    return value_of(d);
}

static void say_update(cudaGraphExec_t exec, cudaGraph_t graph)
{
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t code = cudaGraphExecUpdate(exec, graph, &info);
    printf("update: %s, result %d, last %s\n", cudaGetErrorName(code), info.result,
           cudaGetErrorName(cudaGetLastError()));
}

static void nodes_change()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    must(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = add_kernel(graph, nullptr, (void *)add, d, 1);
    cudaGraphNode_t second = add_kernel(graph, &first, (void *)multiply, d, 10);
    cudaGraphNode_t called, set, line, event_node;
    cudaHostNodeParams h = {call, (void *)1};
    must(cudaGraphAddHostNode(&called, graph, &second, 1, &h));
    cudaMemsetParams m = {};
    m.dst = e;
    m.value = 5;
    m.elementSize = 1;
    m.width = 4;
    m.height = 1;
    must(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &m));
    int host[2] = {1, 2};
    must(cudaGraphAddMemcpyNode1D(&line, graph, &set, 1, e + 1, host, 4,
                                  cudaMemcpyHostToDevice));
    cudaEvent_t event, other;
    must(cudaEventCreate(&event));
    must(cudaEventCreate(&other));
    must(cudaGraphAddEventRecordNode(&event_node, graph, &line, 1, event));
    must(cudaGraphInstantiateWithFlags(&exec, graph, 0));
    int got = launched(exec, 4);
    printf("first: %d, called %d, set %#x %d\n", got, calls, value_of(e),
           value_of(e + 1));

    int by = 100;
    void *arguments[] = {&d, &by};
    cudaKernelNodeParams k = kernel_node((void *)add, arguments);
    must(cudaGraphExecKernelNodeSetParams(exec, first, &k));
    by = 3;
    k.func = (void *)add;
    must(cudaGraphExecKernelNodeSetParams(exec, second, &k));
    h.userData = (void *)10;
    must(cudaGraphExecHostNodeSetParams(exec, called, &h));
    m.value = 6;
    must(cudaGraphExecMemsetNodeSetParams(exec, set, &m));
    must(cudaGraphExecMemcpyNodeSetParams1D(exec, line, e + 1, host + 1, 4,
                                            cudaMemcpyHostToDevice));
    must(cudaGraphExecEventRecordNodeSetEvent(exec, event_node, other));
    got = launched(exec, 4);
    printf("changed: %d, called %d, set %#x %d\n", got, calls, value_of(e),
           value_of(e + 1));
    cudaGraphExec_t again;
    must(cudaGraphInstantiate(&again, graph, 0));
    printf("the graph is as it was: %d\n", launched(again, 4));

    unsigned on = 9;
    must(cudaGraphNodeSetEnabled(exec, first, 0));
    must(cudaGraphNodeGetEnabled(exec, first, &on));
    printf("off: %u, %d\n", on, launched(exec, 4));
    must(cudaGraphNodeSetEnabled(exec, first, 1));
    must(cudaGraphNodeGetEnabled(exec, first, &on));
    printf("on: %u, %d\n", on, launched(exec, 4));
    SAY(cudaGraphNodeSetEnabled(exec, called, 0));
    SAY(cudaGraphNodeGetEnabled(exec, called, &on));
    SAY(cudaGraphExecKernelNodeSetParams(exec, called, &k));
    SAY(cudaGraphUpload(exec, 0));
    SAY(cudaGraphDestroyNode(first));
    printf("its node is gone: %d\n", launched(exec, 4));
    unsigned long long flags = 9;
    SAY(cudaGraphExecGetFlags(exec, &flags));
    printf("flags %llu\n", flags);
    must(cudaGraphExecDestroy(again));
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
}

static cudaGraph_t chain(void *one, int x, void *two, int y, bool joined)
{
    cudaGraph_t graph;
    must(cudaGraphCreate(&graph, 0));
    cudaGraphNode_t first = add_kernel(graph, nullptr, one, d, x);
    if (two)
        add_kernel(graph, joined ? &first : nullptr, two, d, y);
    return graph;
}

static void graphs_change()
{
    cudaGraphExec_t exec;
    cudaGraph_t graph = chain((void *)add, 1, (void *)multiply, 2, true);
    must(cudaGraphInstantiate(&exec, graph, 0));
    printf("chain: %d\n", launched(exec, 4));
    cudaGraph_t other = chain((void *)add, 10, (void *)multiply, 3, true);
    say_update(exec, other);
    printf("updated: %d\n", launched(exec, 4));
    must(cudaGraphDestroy(other));
    other = chain((void *)multiply, 10, (void *)add, 3, true);
    say_update(exec, other);
    printf("other functions: %d\n", launched(exec, 4));
    must(cudaGraphDestroy(other));
    other = chain((void *)add, 10, nullptr, 0, true);
    say_update(exec, other);
    must(cudaGraphDestroy(other));
    other = chain((void *)add, 10, (void *)multiply, 3, false);
    say_update(exec, other);
    must(cudaGraphDestroy(other));
    cudaGraphNode_t first, node;
    must(cudaGraphCreate(&other, 0));
    first = add_kernel(other, nullptr, (void *)add, d, 1);
    must(cudaGraphAddEmptyNode(&node, other, &first, 1));
    say_update(exec, other);
    must(cudaGraphDestroy(other));
    printf("as before: %d\n", launched(exec, 4));
    must(cudaGraphDestroy(graph));

    cudaStream_t s;
    must(cudaStreamCreate(&s));
    for (int i = 0; i < 4; i++) { // captured again and again, updated each time
        must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
        add<<<1, 1, 0, s>>>(d, i);
        multiply<<<1, 1, 0, s>>>(d, 2);
        must(cudaStreamEndCapture(s, &other));
        cudaGraphExecUpdateResultInfo info;
        must(cudaGraphExecUpdate(exec, other, &info));
        must(cudaGraphDestroy(other));
        must(cudaGraphLaunch(exec, s));
    }
    must(cudaStreamSynchronize(s));
    printf("captured and updated: %d\n", value_of(d));
    must(cudaGraphExecDestroy(exec));
}

static void stream_order()
{
    cudaStream_t s;
    cudaGraphExec_t exec;
    cudaGraph_t graph = chain((void *)add, 1, (void *)multiply, 2, true);
    must(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    must(cudaGraphInstantiate(&exec, graph, 0));
    put(d, 0);
    for (int i = 0; i < 5; i++) {
        add<<<1, 1, 0, s>>>(d, 1);
        must(cudaGraphLaunch(exec, s));
    }
    must(cudaStreamSynchronize(s));
    printf("in order: %d\n", value_of(d));
    put(d, 0);
    for (int i = 0; i < 10; i++)
        must(cudaGraphLaunch(exec, s));
    must(cudaGraphExecDestroy(exec)); // its launches go on
    must(cudaStreamSynchronize(s));
    printf("ten: %d\n", value_of(d));
    must(cudaGraphDestroy(graph));
}

static void a_captured_copy()
{
    cudaStream_t s;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int *pinned, pageable = 1;
    must(cudaStreamCreate(&s));
    must(cudaMallocHost(&pinned, 4));
    must(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    must(cudaMemcpyAsync(d, &pageable, 4, cudaMemcpyHostToDevice, s));
    add<<<1, 1, 0, s>>>(d, 1);
    must(cudaMemcpyAsync(pinned, d, 4, cudaMemcpyDeviceToHost, s));
    must(cudaLaunchHostFunc(s, call, (void *)1000));
    must(cudaStreamEndCapture(s, &graph));
    must(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 3; i++) {
        pageable = i * 10; // read at the launch, not at the capture
        must(cudaGraphLaunch(exec, s));
        must(cudaStreamSynchronize(s));
        printf("copied %d, called %d\n", *pinned, calls);
    }
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
}

int main()
{
    must(cudaMalloc(&d, 16));
    must(cudaMalloc(&e, 16));
    nodes_change();
    graphs_change();
    stream_order();
    a_captured_copy();
}
