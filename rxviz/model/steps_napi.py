"""The step kinds of NAPI, softirqs, interrupt moderation and of who has the CPU; see rxviz.model.steps."""

from __future__ import annotations

from rxviz.model.step_kind import kind as _kind

SOFTIRQ_PASS = _kind(
    "softirq.pass",
    "cpu",
    "budget instances again ksoftirqd",
    "A pass of {runner} begins: {instances_words} on the poll list, its budget is {budget:,} frames.",
    "{pass_words}",
    "net_rx_action",
)
SOFTIRQ_SQUEEZE = _kind(
    "softirq.squeeze",
    "cpu",
    "budget left squeezes",
    "The pass ends early: its {used_words}. time_squeeze is {squeezes:,} now.",
    "No frame is lost by that. {left_words}",
    "net_rx_action",
    "K",
    "q",
)
OTHER_POLL = _kind(
    "other.poll",
    "cpu",
    "other work",
    "The softirq polls another queue, number {other}: it uses its whole weight of {work} frames.",
    "The queue that is shown waits for its turn; frames go on arriving in its ring.",
    "net_rx_action",
    "M",
    "o",
)
NAPI_MISSED = _kind(
    "napi.missed",
    "cpu",
    "marked",
    "The interrupt finds NAPI scheduled already{mark_words}.",
    "{missed_words}",
    "napi_schedule_prep",
)
NAPI_AGAIN = _kind(
    "napi.again",
    "cpu",
    "",
    "NAPI is not complete: the mark MISSED is set, so it goes back to the poll list.",
    "An interrupt came while it was scheduled; what it announced may have come after the last look at the ring.",
    "napi_complete_done",
)
NAPI_TIMER_START = _kind(
    "napi.timer_start",
    "cpu",
    "timeout deferred",
    "A timer is set: it polls in {timeout:,} ns{deferred_words}.",
    "{timer_words}",
    "napi_complete_done",
)
NAPI_TIMER = _kind(
    "napi.timer",
    "cpu",
    "",
    "The timer expires: its handler schedules NAPI.",
    "No interrupt of the NIC was needed for this poll.",
    "napi_watchdog",
    "K",
    "i",
)
ITR_UPDATE = _kind(
    "itr.update",
    "cpu",
    "old new packets bytes reason",
    "The driver sets the delay of interrupts from {old_us} to {new_us} µs.",
    "{came_words} {reason_words}",
    "-",
    "K",
    "v",
)
KSOFTIRQD_WAKE = _kind(
    "ksoftirqd.wake",
    "cpu",
    "limit",
    "Softirqs stop here: {limit_words}. The rest is left to ksoftirqd.",
    "ksoftirqd is a task like others, so that programs get the CPU too. The vector stays masked meanwhile.",
    "__do_softirq",
    "K",
    "w",
)
KSOFTIRQD_RUN = _kind(
    "ksoftirqd.run",
    "cpu",
    "pending",
    "CPU 0 goes to ksoftirqd{pending_words}.",
    "Which task runs next is much simpler here than in the kernel's scheduler: they take turns at timer ticks.",
    "run_ksoftirqd",
    "M",
)
READER_RUN = _kind(
    "reader.run",
    "reader",
    "",
    "CPU 0 goes to the program, which reads from the socket.",
    "It shares the CPU with the softirq: it reads only while no interrupt, no softirq and no ksoftirqd runs there.",
    "schedule",
    "M",
)
CPU_STALL = _kind(
    "cpu.stall",
    "cpu",
    "ns",
    "CPU 0 does nothing for {ns:,} ns: not even interrupts are taken.",
    "The NIC goes on writing to the ring for as long as descriptors are posted.",
    "-",
    "M",
    "z",
)
READER_STALL = _kind(
    "reader.stall",
    "reader",
    "ns",
    "The program reads nothing for {ns:,} ns.",
    "Its socket goes on charging what arrives, until the limit is reached.",
    "-",
    "M",
    "z",
)
