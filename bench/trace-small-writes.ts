import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeStrace } from '../src/recording/trace/probe-strace.ts';
import { straceArguments } from '../src/recording/trace/strace-arguments.ts';
import { TraceSession } from '../src/recording/trace/trace-session.ts';
import { Terminal } from '../src/terminal/index.ts';
import type { Row } from './row.ts';

export const name = 'small writes under trace';
export const goal = '≤ 1.0× strace writing its own file';
export const about =
  'A program that does 50,000 small writes, on tacho’s terminals with the trace read and attributed while it runs. Peer: ' +
  '`strace` with the same options writing its trace to a file that is not read.';

const WRITES = 50_000;
const ROUNDS = 5;
const WRITER = [
  process.execPath,
  '-e',
  `const fs = require('node:fs'); const line = Buffer.from('a small line of output\\n');
   for (let n = 0; n < ${WRITES}; n++) fs.writeSync(1, line);`,
];

/** The same program on the same kind of terminal: bare, under strace with a file, and under a trace session. */
export async function run(): Promise<Row[]> {
  const probe = await probeStrace();
  if (!probe.ok) throw new Error(`${probe.reason} ${probe.fix}`);
  const times = { bare: [] as number[], file: [] as number[], ours: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    times.bare.push(await inFolder(() => onTerminal(WRITER).ended));
    times.file.push(
      await inFolder((folder) => {
        const options = { output: join(folder, 'trace.log'), isKept: false, seccompBpf: probe.seccompBpf };
        return onTerminal([probe.path, ...straceArguments(options), ...WRITER]).ended;
      }),
    );
    times.ours.push(await inFolder(underSession));
  }
  const [bare, file, ours] = [median(times.bare), median(times.file), median(times.ours)];
  return [
    {
      what: `${WRITES / 1000} k writes of 23 bytes`,
      ours: seconds(ours),
      peer: seconds(file),
      peerName: 'strace -o file, same options',
      ratio: ours / file,
      goal,
      met: ours <= file,
      note: `bare ${seconds(bare)}; fastest of each: ours ${seconds(Math.min(...times.ours))}, strace ${seconds(Math.min(...times.file))}`,
    },
  ];
}

async function underSession(folder: string): Promise<void> {
  const recorded: Buffer[] = [];
  let start = 0;
  let bytes = Buffer.alloc(0);
  let writes = 0;
  const session = await TraceSession.open({
    folder,
    // Attributed bytes are not read again.
    peek(_stream, offset, length) {
      if (recorded.length > 0) bytes = Buffer.concat([bytes.subarray(offset - start), ...recorded.splice(0)]);
      else bytes = bytes.subarray(offset - start);
      start = offset;
      return bytes.length === 0 ? null : bytes.subarray(0, length);
    },
    onWrite: () => writes++,
  });
  const terminal = onTerminal(session.argv(WRITER), {
    spare: () => session.tracerPid(),
    onOutput(_side, output) {
      recorded.push(Buffer.from(output));
      session.attribution.settle();
    },
  });
  session.attach({ pid: terminal.pid, stdout: terminal.devices.a, stderr: terminal.devices.b });
  await terminal.ended;
  await session.finished({ deadlineMs: 10_000 });
  if (writes !== WRITES) throw new Error(`${writes} of ${WRITES} writes were attributed`);
}

function onTerminal(argv: readonly string[], options: Partial<Parameters<typeof Terminal.start>[0]> = {}): Terminal {
  return Terminal.start({
    argv,
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '' },
    mode: 'split',
    cols: 80,
    rows: 24,
    echo: false,
    marker: randomBytes(8).toString('hex'),
    lingerMs: 5000,
    killGraceMs: 1000,
    onOutput() {},
    ...options,
  });
}

async function inFolder(work: (folder: string) => Promise<unknown>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'tacho-bench-'));
  const start = performance.now();
  try {
    await work(folder);
    return performance.now() - start;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function median(values: number[]): number {
  return [...values].sort((one, other) => one - other)[values.length >> 1] as number;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
