// NVTX, from its headers: on a GPU without a tool its calls do nothing, on the emulator
// they go to the timeline (test_programs.c), and neither changes what is printed.

#include "say.h"

#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>

struct domain {
    static constexpr char const *name{"tests"};
};

__global__ void add(int *x)
{
    atomicAdd(x, 1);
}

int main()
{
    int *x, host = 0;
    must(cudaMalloc(&x, 4));
    must(cudaMemset(x, 0, 4));
    nvtxInitialize(NULL);
    nvtxNameCudaStreamA(0, "the stream");
    nvtxDomainHandle_t tests = nvtxDomainCreateA("tests.more");
    nvtxRangeId_t id = nvtxRangeStartA("from start to end");
    for (int i = 0; i < 3; i++) {
        nvtxEventAttributes_t e = {};
        e.version = NVTX_VERSION;
        e.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        e.messageType = NVTX_MESSAGE_TYPE_ASCII;
        e.message.ascii = "a launch";
        nvtxDomainRangePushEx(tests, &e);
        nvtxRangePushA("inside");
        nvtx3::scoped_range_in<domain> r{"scoped"};
        add<<<1, 32>>>(x);
        nvtxMarkA("launched");
        nvtxRangePushW(L"\u00e9tape \"2\"");
        nvtxRangePop();
        nvtxRangePop();
        nvtxDomainRangePop(tests);
    }
    nvtxRangeEnd(id);
    nvtxRangeEnd(id); // it has ended
    nvtxRangePop();   // one too many
    nvtxDomainDestroy(tests);
    must(cudaMemcpy(&host, x, 4, cudaMemcpyDeviceToHost));
    printf("%d\n", host);
}
