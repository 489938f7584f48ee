// What leaves the straight run of a kernel: calls, clusters, copies under way, memory and
// launches that a kernel asks for. A part of exec.h; sections are named after the files.

#ifndef SIMT_CALLS_H
#define SIMT_CALLS_H

struct call_of { // of a call operation
    ptx_function *function;        // NULL: through a pointer, or a builtin
    const struct builtin *builtin; // the device's own: builtins.def
    const char *name;
    int count;
    struct { uint32_t from, bytes; } argument[64];
    uint32_t result_to, result_bytes;
};

typedef struct builtin {
    const char *name;
    int (*run)(warp *w, const op *o, const call_of *c);
    bool ordered;
} builtin;

// async.c
void async_reset(warp *w);
void async_free(warp *w);
void pendings_reset(cluster *c);

// cluster.c
char *cluster_shared(const warp *w, uint64_t a, uint64_t bytes); // beyond the block's own
void cluster_threads_left(warp *w, uint32_t gone);
handler control_mapa, control_get_rank, control_cluster_arrive, control_cluster_wait;

// call.c
uint64_t function_address(simt_device *device, module *m, ptx_function *f);
const struct kernel_id *function_at(const simt_device *device, uint64_t address);
const builtin *builtin_named(const char *name);
uint64_t call_argument(const warp *w, const call_of *c, int lane, int i);
// At most 64 bytes.
const uint8_t *call_bytes(const warp *w, const call_of *c, int lane, int i, uint32_t bytes);
void call_result(warp *w, const call_of *c, int lane, uint64_t v);
handler control_call, control_call_pointer, control_ret, control_alloca,
    control_stack_save, control_stack_restore, control_local_address,
    control_dynamic_address, control_module_address;

// device_launch.c: launches from kernels.
#define DEVICE_RUNTIME "__cudaCDP2"
int device_runtime(warp *w, const op *o, const call_of *c);
int device_run_children(simt_device *device);
bool device_has_parent(const simt_device *device); // a grid that launched this one
void device_drop_children(simt_device *device);
void device_children_free(simt_device *device);

// device_heap.c: malloc and free of kernels.
void device_heap_close(struct device_heap *h);
char *device_heap_find(const struct device_heap *h, uint64_t address, uint64_t bytes);
simt_fault_kind device_heap_explain(const struct device_heap *h, uint64_t address,
                                    uint64_t *nearest, size_t *nearest_bytes,
                                    int64_t *distance);
int device_malloc(warp *w, const op *o, const call_of *c);
int device_free(warp *w, const op *o, const call_of *c);

#endif
