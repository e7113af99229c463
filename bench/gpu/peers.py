# SPDX-License-Identifier: Apache-2.0
# Times PyTorch and a plain Triton kernel for the same job on the GPU. Answers each line of input with one line.
#
#   open WORK TYPE ROWS WIDTH COUNT ORDER FILE   a table of ROWS x WIDTH (WIDTH 0: elements); indices are made here by
#                                                ORDER, those of "zipf" are read from FILE -> the peers that can do it
#   run PEER                                     -> seconds
#   close                                        frees the memory
import sys

try:
    import torch

    if not torch.cuda.is_available():
        torch = None
except ImportError:
    torch = None
try:
    import triton
    import triton.language as tl
except ImportError:
    triton = None


def versions():
    found = [f"{m.__name__} {m.__version__.split('+')[0]}" for m in (torch, triton) if m and torch]
    return ", ".join(found) or "none"


if triton:

    @triton.jit
    def gather_rows(table, idx, out, count, WIDTH: tl.constexpr, ROWS: tl.constexpr):
        rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
        columns = tl.arange(0, WIDTH)
        inside = (rows < count)[:, None]
        slots = tl.load(idx + rows, mask=rows < count).to(tl.int64)
        values = tl.load(table + slots[:, None] * WIDTH + columns[None, :], mask=inside)
        tl.store(out + rows[:, None] * WIDTH + columns[None, :], values, mask=inside)

    @triton.jit
    def scatter_rows(table, idx, src, count, WIDTH: tl.constexpr, ROWS: tl.constexpr):
        rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)
        columns = tl.arange(0, WIDTH)
        inside = (rows < count)[:, None]
        slots = tl.load(idx + rows, mask=rows < count).to(tl.int64)
        values = tl.load(src + rows[:, None] * WIDTH + columns[None, :], mask=inside)
        tl.store(table + slots[:, None] * WIDTH + columns[None, :], values, mask=inside)


TYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16", "u8": "uint8"}


def indices(rows, count, order, file):
    if order == "zipf":
        return torch.from_file(file, size=count, dtype=torch.int32).cuda()
    if order == "permutation":
        return torch.randperm(rows, device="cuda", dtype=torch.int32)[:count].contiguous()
    return torch.randint(rows, (count,), device="cuda", dtype=torch.int32)


class Job:
    def __init__(self, work, kind, rows, width, count, order, file):
        self.work, self.width, self.count, self.kind = work, width, count, kind
        columns = (width,) if width else ()
        dtype = getattr(torch, TYPES[kind])
        self.table = torch.randint(0, 4, (rows, *columns), device="cuda", dtype=torch.uint8).to(dtype)
        self.moved = torch.randint(0, 4, (count, *columns), device="cuda", dtype=torch.uint8).to(dtype)
        self.idx = indices(rows, count, order, file)
        self.long = self.idx.long()
        self.best = {}

    def ways(self, peer):
        t, m, i, l = self.table, self.moved, self.idx, self.long
        if peer == "triton":
            kernel = gather_rows if self.work == "gather" else scatter_rows
            rows = max(1, 4096 // self.width)
            grid = ((self.count + rows - 1) // rows,)
            return [lambda: kernel[grid](t, i, m, self.count, WIDTH=self.width, ROWS=rows)]
        if self.work == "gather":
            if not self.width:
                return [lambda: torch.gather(t, 0, l, out=m), lambda: torch.take(t, l, out=m)]
            return [lambda: torch.index_select(t, 0, i, out=m), lambda: torch.index_select(t, 0, l, out=m)]
        if self.work == "scatter":
            if not self.width:
                return [lambda: t.scatter_(0, l, m)]
            return [lambda: t.index_copy_(0, l, m)]
        if self.work == "add":
            if not self.width:
                return [lambda: t.scatter_add_(0, l, m), lambda: t.index_add_(0, i, m)]
            return [lambda: t.index_add_(0, i, m), lambda: t.index_add_(0, l, m)]
        return [lambda: t.scatter_reduce_(0, l, m, "amax")]

    def peers(self):
        by_triton = triton and self.width and self.work in ("gather", "scatter")
        return "torch triton" if by_triton else "torch"

    def seconds(self, work):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        work()  # warms up: another process used the device before
        begin.record()
        work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) / 1000

    def run(self, peer):
        """By the fastest of the ways that it has."""
        if peer not in self.best:
            ways = self.ways(peer)
            for way in ways:
                way()
            self.best[peer] = min(ways, key=self.seconds)
        return self.seconds(self.best[peer])


def answer(words, job):
    if words[0] == "open":
        work, kind, rows, width, count, order, file = words[1:]
        del job
        torch.cuda.empty_cache()
        job = Job(work, kind, int(rows), int(width), int(count), order, file)
        return job.peers(), job
    if words[0] == "run":
        return repr(job.run(words[1])), job
    if words[0] == "close":
        del job
        torch.cuda.empty_cache()
        return "closed", None
    return versions(), None


def main():
    job = None
    for line in sys.stdin:
        try:
            text, job = answer(line.rstrip("\n").split(" ", 7), job)
        except Exception as e:  # the tool prints the message and leaves this peer out
            text = "error " + " ".join(str(e).split())
        print(text, flush=True)


main()
