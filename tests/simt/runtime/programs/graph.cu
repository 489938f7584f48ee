// Graphs made node by node: dependencies, every kind of node, copies of graphs, and
// what is refused.

#include "say.h"

__global__ void add(int *p, int by)
{
    *p += by;
}

__global__ void sum(int *to, const int *x, const int *y)
{
    *to = *x + *y;
}

static int called[4], calls;

static void note(void *which)
{
    called[calls++ & 3] = (int)(size_t)which;
}

static int *d, *e, *f;

static int value_of(const int *p)
{
    int value;
    must(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
    return value;
}

static cudaKernelNodeParams kernel_node(void *function, void **arguments)
{
    cudaKernelNodeParams p = {};
    p.func = function;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    return p;
}

static cudaGraphNode_t set_node(cudaGraph_t graph, const cudaGraphNode_t *after,
                                size_t count, int *p, unsigned value)
{
    cudaGraphNode_t node;
    cudaMemsetParams m = {};
    m.dst = p;
    m.value = value;
    m.elementSize = 4;
    m.width = 1;
    m.height = 1;
    must(cudaGraphAddMemsetNode(&node, graph, after, count, &m));
    return node;
}

static cudaGraphNode_t add_node(cudaGraph_t graph, const cudaGraphNode_t *after,
                                size_t count, int *p, int by)
{
    cudaGraphNode_t node;
    void *arguments[] = {&p, &by};
    cudaKernelNodeParams k = kernel_node((void *)add, arguments);
    must(cudaGraphAddKernelNode(&node, graph, after, count, &k));
    return node; // the arguments were copied
}

static void run(cudaGraph_t graph)
{
    cudaGraphExec_t exec;
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, 0));
    must(cudaStreamSynchronize(0));
    must(cudaGraphExecDestroy(exec));
}

static void diamond()
{
    cudaGraph_t graph;
    cudaGraphNode_t nodes[8], found[8];
    size_t count = 8;
    must(cudaGraphCreate(&graph, 0));
    nodes[0] = set_node(graph, nullptr, 0, d, 20);
    nodes[1] = set_node(graph, nullptr, 0, e, 1);
    nodes[2] = add_node(graph, &nodes[0], 1, d, 3);
    nodes[3] = add_node(graph, &nodes[1], 1, e, 4);
    void *arguments[] = {&f, &d, &e};
    cudaKernelNodeParams k = kernel_node((void *)sum, arguments);
    must(cudaGraphAddKernelNode(&nodes[4], graph, &nodes[2], 2, &k));
    run(graph);
    printf("diamond: %d\n", value_of(f));
    must(cudaGraphGetNodes(graph, found, &count));
    printf("%zu nodes, in the order of making: %d\n", count,
           !memcmp(found, nodes, 5 * sizeof *nodes));
    for (size_t i = count; i < 8; i++)
        printf("%s", found[i] ? "x" : ".");
    count = 1;
    must(cudaGraphGetNodes(graph, found, &count));
    printf(" one asked for: %zu\n", count);
    must(cudaGraphGetRootNodes(graph, nullptr, &count));
    printf("%zu roots\n", count);
    count = 8;
    must(cudaGraphNodeGetDependencies(nodes[4], found, nullptr, &count));
    printf("the last waits for %zu: %d\n", count,
           found[0] == nodes[2] && found[1] == nodes[3]);
    count = 8;
    must(cudaGraphNodeGetDependentNodes(nodes[0], found, nullptr, &count));
    printf("%zu wait for the first\n", count);
    cudaGraphNode_t from[8], to[8];
    count = 8;
    must(cudaGraphGetEdges(graph, from, to, nullptr, &count));
    printf("%zu edges\n", count);
    for (int i = 0; i < 5; i++) {
        cudaGraphNodeType type;
        must(cudaGraphNodeGetType(nodes[i], &type));
        printf("type %d\n", type);
    }
    cudaKernelNodeParams seen = {};
    must(cudaGraphKernelNodeGetParams(nodes[2], &seen));
    printf("kernel: %d, grid %u, block %u, by %d\n", seen.func == (void *)add,
           seen.gridDim.x, seen.blockDim.x, *(int *)seen.kernelParams[1]);
    cudaMemsetParams m;
    must(cudaGraphMemsetNodeGetParams(nodes[0], &m));
    printf("memset: %u %u %zu %zu\n", m.value, m.elementSize, m.width, m.height);

    cudaGraph_t copy;
    cudaGraphNode_t twin;
    must(cudaGraphClone(&copy, graph));
    must(cudaGraphNodeFindInClone(&twin, nodes[2], copy));
    int by = 1000;
    void *others[] = {&d, &by};
    k = kernel_node((void *)add, others);
    must(cudaGraphKernelNodeSetParams(twin, &k));
    run(copy);
    printf("the clone: %d\n", value_of(f));
    run(graph);
    printf("the first one: %d\n", value_of(f));
    SAY(cudaGraphNodeFindInClone(&twin, nodes[2], graph));

    SAY(cudaGraphAddDependencies(graph, &nodes[0], &nodes[3], nullptr, 1));
    SAY(cudaGraphAddDependencies(graph, &nodes[0], &nodes[3], nullptr, 1));
    SAY(cudaGraphRemoveDependencies(graph, &nodes[4], &nodes[0], nullptr, 1));
    SAY(cudaGraphDestroyNode(nodes[2]));
    count = 0;
    must(cudaGraphGetNodes(graph, nullptr, &count));
    printf("%zu nodes left\n", count);
    run(graph);
    printf("without it: %d\n", value_of(f));
    must(cudaGraphDestroy(copy));
    must(cudaGraphDestroy(graph));
}

static void kinds()
{
    cudaGraph_t graph, child;
    cudaGraphNode_t last, node;
    cudaEvent_t start, end;
    int host[4] = {1, 2, 3, 4}, back[4] = {0};
    must(cudaEventCreate(&start));
    must(cudaEventCreate(&end));
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphAddEventRecordNode(&last, graph, nullptr, 0, start));
    must(cudaGraphAddMemcpyNode1D(&node, graph, &last, 1, d, host, 16,
                                  cudaMemcpyHostToDevice));
    last = node;
    must(cudaGraphCreate(&child, 0));
    add_node(child, nullptr, 0, d, 5);
    must(cudaGraphAddChildGraphNode(&node, graph, &last, 1, child));
    add_node(child, nullptr, 0, d, 500); // the child was copied: too late
    must(cudaGraphDestroy(child));
    last = node;
    cudaHostNodeParams h = {note, (void *)7};
    must(cudaGraphAddHostNode(&node, graph, &last, 1, &h));
    last = node;
    must(cudaGraphAddEmptyNode(&node, graph, &last, 1));
    last = node;
    cudaMemcpy3DParms box = {};
    box.srcPtr = make_cudaPitchedPtr(d, 8, 8, 2);
    box.dstPtr = make_cudaPitchedPtr(back, 8, 8, 2);
    box.extent = make_cudaExtent(4, 2, 1); // the first column
    box.kind = cudaMemcpyDeviceToHost;
    must(cudaGraphAddMemcpyNode(&node, graph, &last, 1, &box));
    last = node;
    must(cudaGraphAddEventRecordNode(&node, graph, &last, 1, end));
    last = node;
    must(cudaGraphAddEventWaitNode(&node, graph, &last, 1, end));
    host[0] = 10; // read when the graph runs
    run(graph);
    printf("kinds: %d %d %d %d, called %d with %d\n", back[0], back[1], back[2],
           back[3], calls, called[0]);
    float ms = -1;
    must(cudaEventElapsedTime(&ms, start, end));
    printf("time %s\n", ms > 0 ? "passes" : "stands");
    cudaGraphNode_t all[16];
    size_t count = 16;
    must(cudaGraphGetNodes(graph, all, &count));
    for (size_t i = 0; i < count; i++) {
        cudaGraphNodeType type;
        must(cudaGraphNodeGetType(all[i], &type));
        printf("type %d%s", type, i + 1 < count ? ", " : "\n");
    }
    cudaMemcpy3DParms seen = {};
    must(cudaGraphMemcpyNodeGetParams(all[5], &seen));
    printf("box %zu %zu %zu kind %d\n", seen.extent.width, seen.extent.height,
           seen.extent.depth, seen.kind);
    must(cudaGraphMemcpyNodeGetParams(all[1], &seen));
    printf("line %zu %zu %zu kind %d\n", seen.extent.width, seen.extent.height,
           seen.extent.depth, seen.kind);
    cudaEvent_t event;
    must(cudaGraphEventRecordNodeGetEvent(all[0], &event));
    printf("event %d\n", event == start);
    cudaHostNodeParams g;
    must(cudaGraphHostNodeGetParams(all[3], &g));
    printf("host %d\n", g.fn == note && g.userData == (void *)7);
    SAY(cudaGraphKernelNodeGetParams(all[0], nullptr));
    cudaKernelNodeParams k;
    SAY(cudaGraphKernelNodeGetParams(all[0], &k));
    must(cudaGraphDestroy(graph));
}

static void memory_nodes()
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t take, use, copy, give;
    must(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams m = {};
    m.poolProps.allocType = cudaMemAllocationTypePinned;
    m.poolProps.location = {cudaMemLocationTypeDevice, 0};
    m.bytesize = 1024;
    must(cudaGraphAddMemAllocNode(&take, graph, nullptr, 0, &m));
    printf("address %s\n", m.dptr ? "known" : "null");
    use = set_node(graph, &take, 1, (int *)m.dptr, 77);
    must(cudaGraphAddMemcpyNode1D(&copy, graph, &use, 1, d, m.dptr, 4,
                                  cudaMemcpyDeviceToDevice));
    must(cudaGraphAddMemFreeNode(&give, graph, &copy, 1, m.dptr));
    must(cudaGraphInstantiate(&exec, graph, 0));
    must(cudaGraphLaunch(exec, 0));
    must(cudaGraphLaunch(exec, 0));
    must(cudaDeviceSynchronize());
    printf("memory of a graph: %d\n", value_of(d));
    void *p;
    must(cudaGraphMemFreeNodeGetParams(give, &p));
    printf("frees it: %d\n", p == m.dptr);
    must(cudaGraphExecDestroy(exec));
    must(cudaGraphDestroy(graph));
    SAY(cudaDeviceGraphMemTrim(0));
}

static void wrong()
{
    cudaGraph_t graph, other;
    cudaGraphNode_t node, stranger;
    cudaGraphExec_t exec;
    must(cudaGraphCreate(&graph, 0));
    must(cudaGraphCreate(&other, 0));
    must(cudaGraphAddEmptyNode(&stranger, other, nullptr, 0));
    SAY(cudaGraphCreate(nullptr, 0));
    SAY(cudaGraphCreate(&other, 1));
    SAY(cudaGraphAddEmptyNode(nullptr, graph, nullptr, 0));
    SAY(cudaGraphAddEmptyNode(&node, nullptr, nullptr, 0));
    SAY(cudaGraphAddEmptyNode(&node, graph, nullptr, 1));
    SAY(cudaGraphAddEmptyNode(&node, graph, &stranger, 1));
    SAY(cudaGraphAddKernelNode(&node, graph, nullptr, 0, nullptr));
    cudaKernelNodeParams k = kernel_node(nullptr, nullptr);
    SAY(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &k));
    SAY(cudaGraphInstantiate(&exec, graph, 0));
    SAY(cudaGraphLaunch(exec, 0));
    SAY(cudaDeviceSynchronize());
    must(cudaGraphExecDestroy(exec));
    SAY(cudaGraphInstantiate(nullptr, graph, 0));
    SAY(cudaGraphInstantiate(&exec, nullptr, 0));
    SAY(cudaGraphInstantiateWithFlags(&exec, graph, 1 << 20));
    SAY(cudaGraphLaunch(nullptr, 0));
    SAY(cudaGraphDestroy(nullptr));
    SAY(cudaGraphExecDestroy(nullptr));
    SAY(cudaGraphGetNodes(graph, nullptr, nullptr));
    SAY(cudaGraphNodeGetType(nullptr, nullptr));
    SAY(cudaGraphAddHostNode(&node, graph, nullptr, 0, nullptr));
    SAY(cudaGraphDestroy(graph));
}

int main()
{
    must(cudaMalloc(&d, 1024));
    must(cudaMalloc(&e, 1024));
    must(cudaMalloc(&f, 1024));
    diamond();
    kinds();
    memory_nodes();
    wrong();
}
