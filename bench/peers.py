# SPDX-License-Identifier: Apache-2.0
# Times NumPy and PyTorch for the same job. Answers each line of standard input with one line.
#
#   open MOVE NUMBER ROWS WIDTH COUNT PAGES FILE   a table of ROWS x WIDTH (WIDTH 0: elements), COUNT int32 indices in FILE
#                                                  -> the peers that can do it; "numpy:once": run it once, it is slow
#   run PEER THREADS                               -> seconds of one run
#   tiny WIDTH COUNT ROWS FILE, then run           calls of COUNT indices, taken from FILE in turn -> seconds per call
#   close                                          frees the memory
import sys
import time

try:
    import numpy as np
except ImportError:
    np = None
try:
    import torch
except ImportError:
    torch = None

NUMPY_TYPES = {"f32": "float32", "i32": "int32", "u8": "uint8", "f16": "float16", "bf16": "int16"}
SLOW = {"add", "max"}  # np.add.at and np.maximum.at


def versions():
    found = [f"{m.__name__} {m.__version__.split('+')[0]}" for m in (np, torch) if m and np]
    return ", ".join(found) or "none"


def numbers(shape, kind, seed):
    rng = np.random.default_rng(seed)
    if kind == "f32":
        return rng.random(shape, dtype=np.float32)
    if kind == "f16":
        return rng.random(shape, dtype=np.float32).astype(np.float16)
    if kind == "bf16":  # bits of numbers between 1/8 and 2
        return (rng.integers(0, 0x200, shape, dtype=np.int16) | np.int16(0x3E00)).astype(np.int16)
    return rng.integers(0, 100 if kind == "u8" else 1 << 30, shape, dtype=NUMPY_TYPES[kind])


def tensor(array, kind):
    """The same memory, so the same pages."""
    t = torch.from_numpy(array)
    return t.view(torch.bfloat16) if kind == "bf16" else t


def small_pages(wanted):
    try:
        np._core.multiarray._set_madvise_hugepage(not wanted)
    except AttributeError:
        pass


class Job:
    def __init__(self, move, kind, rows, width, count, pages, file):
        small_pages(pages == "small")
        self.move, self.kind, self.by_rows = move, kind, width > 0
        columns = (width,) if width else ()
        self.table = numbers((rows, *columns), kind, 1)
        self.moved = numbers((count, *columns), kind, 2)
        self.idx = np.fromfile(file, dtype=np.int32).astype(np.int64)
        self.first = self.table.copy() if move == "max" else None
        if torch:
            self.torch_table, self.torch_moved = tensor(self.table, kind), tensor(self.moved, kind)
            self.torch_idx = torch.from_numpy(self.idx)

    def peers(self):
        out = []
        if self.kind not in ("f16", "bf16"):
            out.append("numpy:once" if self.move in SLOW else "numpy")
        if torch:
            out.append("torch")
        return " ".join(out)

    def run(self, peer, threads):
        if self.first is not None:
            np.copyto(self.table, self.first)
        if peer == "torch":
            torch.set_num_threads(threads)
        work = getattr(self, f"{peer}_{self.move}")
        begin = time.perf_counter()
        work()
        seconds = time.perf_counter() - begin
        if threads > 1:
            time.sleep(0.01)  # torch's threads spin for a while and would slow down the next way
        return seconds

    def numpy_gather(self):
        np.take(self.table, self.idx, axis=0, out=self.moved, mode="clip")  # "raise" would copy through a buffer

    def numpy_scatter(self):
        self.table[self.idx] = self.moved

    def numpy_add(self):
        np.add.at(self.table, self.idx, self.moved)

    def numpy_max(self):
        np.maximum.at(self.table, self.idx, self.moved)

    def torch_gather(self):
        if self.by_rows:
            torch.index_select(self.torch_table, 0, self.torch_idx, out=self.torch_moved)
        else:
            torch.gather(self.torch_table, 0, self.torch_idx, out=self.torch_moved)

    def torch_scatter(self):
        if self.by_rows:
            self.torch_table.index_copy_(0, self.torch_idx, self.torch_moved)
        else:
            self.torch_table.scatter_(0, self.torch_idx, self.torch_moved)

    def torch_add(self):
        if self.by_rows:
            self.torch_table.index_add_(0, self.torch_idx, self.torch_moved)
        else:
            self.torch_table.scatter_add_(0, self.torch_idx, self.torch_moved)

    def torch_max(self):
        self.torch_table.scatter_reduce_(0, self.torch_idx, self.torch_moved, "amax")


class Tiny:
    """One small gather a call."""

    CALLS = 5000

    def __init__(self, width, count, rows, file):
        shape = (rows, width) if width else (rows,)
        self.table = numbers(shape, "f32", 1)
        idx = np.fromfile(file, dtype=np.int32).astype(np.int64)
        self.idx = [idx[at : at + count].copy() for at in range(0, len(idx), count)]
        self.out = np.empty((count, *shape[1:]), np.float32)

    def peers(self):
        return "numpy torch" if torch else "numpy"

    def run(self, peer, threads):
        table, out, idx = self.table, self.out, self.idx
        if peer == "torch":
            torch.set_num_threads(threads)
            table, out, idx = torch.from_numpy(table), torch.from_numpy(out), [torch.from_numpy(i) for i in idx]
        begin = time.perf_counter()
        if peer == "torch":
            for k in range(self.CALLS):
                torch.index_select(table, 0, idx[k % len(idx)], out=out)
        else:
            for k in range(self.CALLS):
                table.take(idx[k % len(idx)], axis=0, out=out, mode="clip")
        return (time.perf_counter() - begin) / self.CALLS


def answer(words, job):
    if words[0] == "open":
        move, kind, rows, width, count, pages, file = words[1:]
        job = Job(move, kind, int(rows), int(width), int(count), pages, file)
        return job.peers(), job
    if words[0] == "tiny":
        job = Tiny(int(words[1]), int(words[2]), int(words[3]), words[4])
        return job.peers(), job
    if words[0] == "run":
        return repr(job.run(words[1], int(words[2]))), job
    return ("closed" if words[0] == "close" else versions()), None


def main():
    if "--versions" in sys.argv:
        print(versions())
        return
    job = None
    for line in sys.stdin:
        try:
            text, job = answer(line.rstrip("\n").split(" ", 7), job)
        except Exception as e:  # the tool prints the message and leaves this peer out
            text = "error " + " ".join(str(e).split())
        print(text, flush=True)


main()
