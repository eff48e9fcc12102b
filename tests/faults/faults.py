#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Faults in every call to the system, one at a time.

faults.py PROGRAM SHIM SOURCE [RUNS]: runs each verb that writes under the shim,
which lets the n-th allocation, write, open, fsync, rename, close, read, pipe or
start of a thread fail. Whatever fails, the program must end, with an exit code
of its own and a message; each output is then the old file or the whole new one,
and no other file is there. RUNS: about how many faults (default: 400); "full":
at least 5000.
"""
import concurrent.futures
import errno
import os
import shutil
import subprocess
import sys
import tempfile

program, shim, source = (os.path.abspath(a) for a in sys.argv[1:4])
full = len(sys.argv) > 4 and sys.argv[4] == 'full'
wanted = 5500 if full else int(sys.argv[4]) if len(sys.argv) > 4 else 400
D, C = source + '/detectors', source + '/configs'
TRACK = ['--p', '1GeV', '--theta', '70deg']
GRID = ['--p', '0.5GeV,5GeV', '--theta', '90deg,40deg']
QUIET = ['--no-provenance', '--threads', '2']
PREPARE = [
    ['scan', D + '/barrel.yaml', *GRID, '--shard', '1/2', '-o', 'part1.csv'],
    ['scan', D + '/barrel.yaml', *GRID, '--shard', '2/2', '-o', 'part2.csv'],
    ['toy', D + '/barrel.yaml', *TRACK, '--toys', '40', '--shard', '1/1',
     '-o', 'toys.json'],
    ['export', D + '/barrel.yaml', '--to', 'delphes', '--lossy', '-o', 'card.tcl'],
]
# name: arguments, the files written, files that may be there besides
VERBS = {
    'scan': (['scan', D + '/barrel.yaml', '--p', '0.1GeV:100GeV:3000', '-o', 'o.csv',
              '-o', 'o.json', '--no-provenance', '--threads', '3'], ['o.csv', 'o.json'], []),
    'sweep': (['sweep', D + '/barrel.yaml', *GRID, '--vary', 'field.solenoid=1T:2T:300',
               '-o', 'o.csv', '-o', 'o.json', *QUIET], ['o.csv', 'o.json'], []),
    'decay': (['decay', 'J/psi -> mu+ mu-', D + '/barrel.yaml', '--p', '3GeV,5GeV',
               '--toys', '20', '-o', 'o.csv', '-o', 'o.json', *QUIET],
              ['o.csv', 'o.json'], []),
    'scan merge': (['scan', 'merge', 'part1.csv', 'part2.csv', '-o', 'o.csv',
                    '--no-provenance'], ['o.csv'], []),
    'show': (['show', D + '/cld.yaml', '-o', 'o.md', '--no-provenance'], ['o.md'], []),
    'resolve': (['resolve', D + '/barrel.yaml', *TRACK, '-o', 'o.json',
                 '--no-provenance'], ['o.json'], []),
    'regimes': (['regimes', D + '/barrel.yaml', *GRID, '-o', 'o.csv', *QUIET], ['o.csv'], []),
    'budget': (['budget', D + '/barrel.yaml', *TRACK, '-o', 'o.json', '--no-provenance'],
               ['o.json'], []),
    'sensitivity': (['sensitivity', D + '/barrel.yaml', *TRACK, '-o', 'o.txt',
                     '--no-provenance'], ['o.txt'], []),
    'compare': (['compare', D + '/alice_its2.yaml', D + '/alice_its3.yaml', *TRACK,
                 '-o', 'o.csv', *QUIET], ['o.csv'], []),
    'baseline': (['baseline', D + '/barrel.yaml', *GRID, '-o', 'o.json', '--threads', '2'],
                 ['o.json'], []),
    'check': (['check', C + '/check/alice_its2.yaml', '--junit', 'o.xml', '--gitlab',
               'q.json', '-o', 'o.json', *QUIET], ['o.xml', 'q.json', 'o.json'], []),
    'toy': (['toy', D + '/barrel.yaml', *TRACK, '--toys', '200', '-o', 'o.json',
             '--save-toys', 's.csv', *QUIET], ['o.json', 's.csv'], []),
    'toy checkpoint': (['toy', D + '/barrel.yaml', *TRACK, '--toys', '200', '-o', 'o.json',
                        '--checkpoint', 'state', '--checkpoint-every', '0', *QUIET],
                       ['o.json'], ['state']),
    'toy merge': (['toy', 'merge', 'toys.json', '-o', 'o.json', '--no-provenance'],
                  ['o.json'], []),
    'fit': (['fit', D + '/alice_its2.yaml', C + '/its2-hits.csv', '-o', 'o.csv',
             '--residuals', 'r.csv', *QUIET], ['o.csv', 'r.csv'], []),
    'report': (['report', D + '/barrel.yaml', *GRID, '-o', 'o.html', *QUIET], ['o.html'], []),
    'plot': (['plot', D + '/barrel.yaml', *GRID, '-o', 'o.svg', '--threads', '2'],
             ['o.svg'], []),
    'plot png': (['plot', D + '/barrel.yaml', *GRID, '-o', 'o.png', '--threads', '2'],
                 ['o.png'], []),
    'export': (['export', D + '/barrel.yaml', '--to', 'lut', *GRID, '-o', 'o.csv', *QUIET],
               ['o.csv'], []),
    'init': (['init', 'collider', '-o', 'o.yaml', '--force'], ['o.yaml'], []),
    'import': (['import', 'card.tcl', '-o', 'o.yaml'], ['o.yaml'], []),
}
if shutil.which('rsvg-convert') is None:
    del VERBS['plot png']
CAUSES = {
    'memory': ['', '+'], 'write': [errno.ENOSPC, errno.EIO],
    'open': [errno.EACCES, errno.EMFILE], 'fsync': [errno.EIO], 'rename': [errno.EACCES],
    'close': [errno.EIO], 'read': [errno.EIO], 'thread': [errno.EAGAIN],
    'pipe': [errno.EMFILE],
}
OLD = b'old\n'
allowed = {  # exit codes by what failed; 1 is that of check
    'memory': (0, 71, 127), 'write': (0, 71), 'open': (0, 2, 71), 'fsync': (0, 71),
    'rename': (0, 2), 'close': (0,), 'read': (0, 2, 71), 'thread': (0,), 'pipe': (0, 71),
}
LIMIT = 60  # seconds; a program that has not ended by then hangs


def run(folder, arguments, fault=None, count=None):
    environment = dict(os.environ, LC_ALL='C.UTF-8')
    environment.pop('GTTF_DESIGN_DATA', None)
    if fault:
        environment.update(LD_PRELOAD=shim, GTTF_FAULT=fault)
        if count:
            environment['GTTF_FAULT_COUNT'] = count
    child = subprocess.Popen([program, *arguments], cwd=folder, env=environment,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    try:
        _, messages = child.communicate(timeout=LIMIT)
        return child.returncode, messages.decode(errors='replace')
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return None, 'hangs'


def read(path):
    try:
        with open(path, 'rb') as file:
            return file.read()
    except FileNotFoundError:
        return None


class Case:
    def __init__(self, name, inputs):
        self.name, self.inputs = name, inputs
        self.arguments, self.files, self.others = VERBS[name]

    def folder(self):
        folder = tempfile.mkdtemp(prefix='gttf-faults-')
        for file in self.inputs:
            os.link(file, os.path.join(folder, os.path.basename(file)))
        return folder

    def learn(self):
        """What it writes, and how often it calls what may fail."""
        folder = self.folder()
        self.code, messages = run(folder, self.arguments)
        assert self.code in (0, 1), (self.name, self.code, messages)
        self.new = {f: read(os.path.join(folder, f)) for f in self.files}
        self.calls = {}
        for kind in CAUSES:
            for f in self.others:
                if os.path.exists(os.path.join(folder, f)):
                    os.unlink(os.path.join(folder, f))
            count = os.path.join(folder, 'count')
            run(folder, self.arguments, f'{kind} 999999999 5', count)
            self.calls[kind] = int(read(count) or 0)
        shutil.rmtree(folder)
        return self

    def faults(self, runs):
        """About so many; every call of the kinds that are few."""
        few = [(k, f'{n} {c}') for k in CAUSES if k != 'memory' for c in CAUSES[k]
               for n in range(1, min(self.calls[k], 40) + 1)]
        step = max(1, len(few) // max(1, runs // 2))
        chosen = few[::step]
        left = max(8, runs - len(chosen))
        total = self.calls['memory']
        for i in range(left):
            sticky = i % 3 == 2
            # early ones are of other kinds than late ones: half of them early
            n = 1 + (i * 7 if i % 2 and i * 7 < total else total * i // left)
            chosen.append(('memory', f"{n}{'+' if sticky else ' '} {errno.ENOMEM}"))
        return [(self, kind, how) for kind, how in chosen]


def attempt(case, kind, how):
    folder = case.folder()
    for f in case.files:
        with open(os.path.join(folder, f), 'wb') as file:
            file.write(OLD)
    code, messages = run(folder, case.arguments, f'{kind} {how}')
    wrong = []
    if code is None or code not in allowed[kind] and not (code == 1 and case.code == 1):
        wrong.append(f'exit code {code}')
    for f in case.files:
        content = read(os.path.join(folder, f))
        if content is None:
            wrong.append(f'{f} is lost')
        elif content not in (OLD, case.new[f]):
            wrong.append(f'{f} is neither the old nor the new one')
        elif code == 0 and content == OLD:
            wrong.append(f'{f} was not written, though the code is 0')
    known = {os.path.basename(f) for f in [*case.inputs, *case.files, *case.others]}
    left = set(os.listdir(folder)) - known
    if left:
        wrong.append('left behind: ' + ' '.join(sorted(left)))
    if code not in (0, case.code) and not messages:
        wrong.append('no message')
    if kind == 'thread' and code == 0 and 'of the requested threads' not in messages:
        wrong.append('no warning of fewer threads')
    shutil.rmtree(folder)
    if wrong:
        return f"{case.name}: {kind} {how}: {'; '.join(wrong)}: {messages[-160:]!r}"
    return None


def main():
    store = tempfile.mkdtemp(prefix='gttf-faults-')
    for arguments in PREPARE:
        code, messages = run(store, arguments)
        assert code == 0, (arguments, messages)
    inputs = [os.path.join(store, f) for f in sorted(os.listdir(store))]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        cases = list(pool.map(lambda n: Case(n, inputs).learn(), VERBS))
        plan = [fault for case in cases for fault in case.faults(wanted // len(cases))]
        failures = [f for f in pool.map(lambda a: attempt(*a), plan) if f]
    shutil.rmtree(store)
    print('\n'.join(failures[:40]))
    print(f'{len(plan)} faults in {len(cases)} commands, {len(failures)} wrong')
    if full and len(plan) < 5000:
        sys.exit('fewer than 5000')
    sys.exit(1 if failures else 0)


main()
