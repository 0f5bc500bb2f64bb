import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TracedWrite } from '../../../src/protocol/index.ts';
import { TraceSession } from '../../../src/recording/trace/trace-session.ts';
import type { TracedStream } from '../../../src/recording/trace/traced-stream.ts';
import { Terminal } from '../../../src/terminal/index.ts';

interface TracedRunOptions {
  keepPath?: string;
  cwd?: string;
  /** Called with each piece of output, while the command runs. */
  onOutput?(session: TraceSession, terminal: Terminal): void;
}

/** Runs a command on two terminals under a trace session, to the end. */
export async function runTraced(command: string[], { keepPath, cwd = tmpdir(), onOutput }: TracedRunOptions = {}) {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'tacho-traced-'));
  const recorded: Record<TracedStream, Buffer> = { stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
  const writes: TracedWrite[] = [];
  const session = await TraceSession.open({
    folder,
    ...(keepPath === undefined ? {} : { keepPath }),
    peek(stream, offset, length) {
      const known = recorded[stream].subarray(offset, offset + length);
      return known.length > 0 ? known : null;
    },
    onWrite: (write) => writes.push(write),
  });
  const terminal: Terminal = Terminal.start({
    argv: session.argv(command),
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'xterm' },
    mode: 'split',
    cols: 80,
    rows: 24,
    echo: false,
    marker: randomBytes(8).toString('hex'),
    lingerMs: 1000,
    killGraceMs: 500,
    spare: () => session.tracerPid(),
    onOutput(side, bytes) {
      const stream = side === 'a' ? 'stdout' : 'stderr';
      recorded[stream] = Buffer.concat([recorded[stream], bytes]);
      session.attribution.settle();
      onOutput?.(session, terminal);
    },
  });
  session.attach({ pid: terminal.pid, stdout: terminal.devices.a, stderr: terminal.devices.b });
  const end = await terminal.ended;
  const isComplete = await session.finished({ deadlineMs: 60_000 });
  const leftovers = fs.readdirSync(folder);
  fs.rmSync(folder, { recursive: true });
  return {
    ...recorded,
    writes,
    end,
    isComplete,
    leftovers,
    pid: terminal.pid,
    processes: session.attribution.processes,
    summary: session.attribution.summary(recorded.stdout.length + recorded.stderr.length),
    textOf: ({ stream, byte_from, byte_to }: TracedWrite) => recorded[stream].toString('latin1', byte_from, byte_to),
  };
}
