// The judge's command line.

#include "judge.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

options option = {.gpu = "A100", .seconds = 10, .checks = "all"};

static const char usage[] =
    "usage: judge --step NAME --device emulator|gpu --runner PATH [option]...\n"
    "       judge --list\n"
    "  --step NAME         judge the tests of this step\n"
    "  --device WHICH      emulator: with --simt-device PATH; gpu: the machine's own\n"
    "  --runner PATH       the learner's program\n"
    "  --wrap WORD         a word of the command that starts the runner, each in "
    "turn:\n"
    "                      a sandbox; it must hand on descriptors 3 to 5\n"
    "  --simt-device PATH  the emulated GPU's program\n"
    "  --gpu NAME          which GPU it pretends to be (A100)\n"
    "  --workers N         its threads (0: one a core)\n"
    "  --checks NAMES      what it looks for: race,init,sync,leak,error (all)\n"
    "  --schedule N        which order blocks and warps run in (0: the fixed one)\n"
    "  --ceilings PATH     the runner that the speed ratios compare with\n"
    "  --seconds S         the learner's code may work for so long, a test (10)\n"
    "  --seed N            repeat a run's random data\n"
    "  --records WHERE     a file, or fd:N (standard output)\n"
    "  --test NAME         only this test\n"
    "  --budget --speed    also count, also time\n"
    "  --watch WHERE       keep lanes' addresses at FILE:LINE:BLOCK:WARP (* for any)\n"
    "  --list              print every step and its tests as JSON\n";

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("judge: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static double number(const char *name, const char *text, double low, double high)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (errno || end == text || *end || !(value >= low && value <= high))
        die("--%s: '%s' is not a number from %g to %g", name, text, low, high);
    return value;
}

static uint64_t seed_of(const char *name, const char *text)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 0);
    if (errno || end == text || *end || *text == '-')
        die("--%s: '%s' is not a whole number", name, text);
    return value;
}

static uint64_t fresh_seed(void)
{
    uint32_t seed; // short, since a learner types it
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        die("getrandom: %s", strerror(errno));
    return seed;
}

static void check(void)
{
    if (option.list)
        return;
    if (!option.step)
        die("--step is missing\n%s", usage);
    if (!option.runner)
        die("--runner is missing\n%s", usage);
    if (option.emulated && !option.simt_device)
        die("--device emulator needs --simt-device");
    if (option.emulated && option.speed)
        die("--speed needs --device gpu: an emulator's seconds mean nothing");
    if (option.speed && !option.ceilings)
        die("--speed needs --ceilings");
    if (!option.emulated && option.budget)
        die("--budget needs --device emulator, which does the counting");
}

void options_read(int argc, char **argv)
{
    enum {
        STEP = 256,
        DEVICE,
        RUNNER,
        WRAP,
        SIMT,
        GPU,
        CEILINGS,
        SECONDS,
        SEED,
        RECORDS,
        BUDGET,
        SPEED,
        LIST,
        TEST,
        WORKERS,
        CHECKS,
        SCHEDULE,
        WATCH
    };
    static const struct option names[] = {
        {"step", 1, 0, STEP},
        {"device", 1, 0, DEVICE},
        {"runner", 1, 0, RUNNER},
        {"wrap", 1, 0, WRAP},
        {"simt-device", 1, 0, SIMT},
        {"gpu", 1, 0, GPU},
        {"ceilings", 1, 0, CEILINGS},
        {"seconds", 1, 0, SECONDS},
        {"seed", 1, 0, SEED},
        {"records", 1, 0, RECORDS},
        {"budget", 0, 0, BUDGET},
        {"speed", 0, 0, SPEED},
        {"list", 0, 0, LIST},
        {"test", 1, 0, TEST},
        {"workers", 1, 0, WORKERS},
        {"checks", 1, 0, CHECKS},
        {"schedule", 1, 0, SCHEDULE},
        {"watch", 1, 0, WATCH},
        {"help", 0, 0, 'h'},
        {0},
    };
    bool device = false, seeded = false;
    option.wrap = calloc((size_t)argc + 1, sizeof *option.wrap);
    for (int c; (c = getopt_long(argc, argv, "h", names, NULL)) != -1;) {
        switch (c) {
        case STEP:
            option.step = optarg;
            break;
        case RUNNER:
            option.runner = optarg;
            break;
        case WRAP:
            option.wrap[option.wraps++] = optarg;
            break;
        case SIMT:
            option.simt_device = optarg;
            break;
        case GPU:
            option.gpu = optarg;
            break;
        case CEILINGS:
            option.ceilings = optarg;
            break;
        case RECORDS:
            option.records = optarg;
            break;
        case TEST:
            option.test = optarg;
            break;
        case BUDGET:
            option.budget = true;
            break;
        case SPEED:
            option.speed = true;
            break;
        case LIST:
            option.list = true;
            break;
        case SECONDS:
            option.seconds = number("seconds", optarg, 0.1, 86400);
            break;
        case WORKERS:
            option.workers = (int)number("workers", optarg, 0, 1024);
            break;
        case WATCH:
            option.watch = optarg;
            break;
        case SEED:
            option.seed = seed_of("seed", optarg), seeded = true;
            break;
        case CHECKS:
            option.checks = optarg;
            break;
        case SCHEDULE:
            option.schedule = seed_of("schedule", optarg);
            break;
        case DEVICE:
            device = true;
            option.emulated = strcmp(optarg, "emulator") == 0;
            if (!option.emulated && strcmp(optarg, "gpu") != 0)
                die("--device: '%s' is neither emulator nor gpu", optarg);
            break;
        case 'h':
            fputs(usage, stdout);
            exit(0);
        default:
            fputs(usage, stderr);
            exit(2);
        }
    }
    if (optind < argc)
        die("'%s' is one word too many", argv[optind]);
    if (!device && !option.list)
        die("--device is missing\n%s", usage);
    if (!seeded)
        option.seed = fresh_seed();
    check();
}
