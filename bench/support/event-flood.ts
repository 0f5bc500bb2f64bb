import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buildProgram } from './build-program.ts';
import { median } from './figures.ts';
import { startSandboxAgent } from './sandbox-agent.ts';
import { openReaders, type Reading, type StreamReaders } from './stream-readers.ts';
import { residentMegabytes, startTacho } from './tacho-server.ts';

export const EVENTS = 100_000;
export const SLOW_READERS = 20;
/** An endless stream counts as read after this long without data. */
const QUIET_MS = 1000;

/** The result of one run with many events, one reader at full speed and several slow ones. */
export interface Flood {
  /** Of the fast reader. */
  eventsPerSecond: number;
  /** Shares of all events, 0 to 1; the mean for the slow readers. */
  fastLost: number;
  slowLost: number;
  /** Duplicate or misordered events, over all readers. */
  disorder: number;
  /** Maximum growth of the server's memory during the run, and until the slow readers caught up. */
  grownDuring: number;
  grownAfter: number;
}

export function medianFlood(floods: readonly Flood[]): Flood {
  const keys = Object.keys(floods[0]!) as (keyof Flood)[];
  return Object.fromEntries(keys.map((key) => [key, median(floods.map((flood) => flood[key]))])) as unknown as Flood;
}

/** The agent is recorded, parsed and stored, and its events are streamed live. */
export async function floodTacho(pace: 'slow' | 'stalled'): Promise<Flood> {
  const folder = agentFolder(EVENTS);
  const server = await startTacho({ searchPath: folder });
  try {
    const memory = watchMemory(server.pid);
    const runId = await server.startRun('codex');
    const stream = { url: `${server.url}/v1/runs/${runId}/events/stream`, headers: server.headers };
    const [fast, slow] = await openBoth(stream, pace);
    await fast.ended;
    const grownDuring = memory.highest();
    slow.hurry();
    await slow.ended;
    return await account(fast, slow, { grownDuring, memory });
  } finally {
    await server.stop();
    fs.rmSync(folder, { recursive: true });
  }
}

export async function floodSandboxAgent(installed: string, pace: 'slow' | 'stalled'): Promise<Flood> {
  const server = await startSandboxAgent(installed, agentCommand('acp', EVENTS));
  try {
    const memory = watchMemory(server.pid);
    await server.ask(1, 'initialize', { protocolVersion: 1, clientCapabilities: {} });
    await server.ask(2, 'session/new', { cwd: os.tmpdir(), mcpServers: [] });
    const [fast, slow] = await openBoth({ url: server.stream, headers: {} }, pace);
    await server.ask(3, 'session/prompt', { sessionId: 'session-1', prompt: [{ type: 'text', text: 'go' }] });
    const grownDuring = memory.highest();
    slow.hurry();
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    // The three answers are events too.
    return await account(fast, slow, { grownDuring, memory, events: EVENTS + 3 });
  } finally {
    await server.stop();
  }
}

/** A folder for PATH, with an agent named codex. */
export function agentFolder(events: number): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const launcher = `#!/bin/sh\nexec ${agentCommand('codex', events).join(' ')}\n`;
  fs.writeFileSync(path.join(folder, 'codex'), launcher, { mode: 0o755 });
  return folder;
}

function agentCommand(dialect: 'codex' | 'acp', events: number): string[] {
  const program = buildProgram(new URL('../programs/many-messages.ts', import.meta.url));
  return [process.execPath, program, dialect, String(events)];
}

function openBoth(
  stream: Pick<Reading, 'url' | 'headers'>,
  pace: 'slow' | 'stalled',
): Promise<[fast: StreamReaders, slow: StreamReaders]> {
  return Promise.all([
    openReaders({ ...stream, readers: 1, pace: 'full', count: true }),
    openReaders({ ...stream, readers: SLOW_READERS, pace, count: true }),
  ]);
}

/** Without `events`, the last event's number is the count: the stream has ended. */
async function account(
  fast: StreamReaders,
  slow: StreamReaders,
  { grownDuring, memory, events }: { grownDuring: number; memory: { end(): number }; events?: number },
): Promise<Flood> {
  const [one, others] = [await fast.report(), await slow.report()];
  const [first] = one.readers;
  const all = events ?? first!.lastId;
  if (all < EVENTS) throw new Error(`only ${all} events were made`);
  const lostBy = ({ events: got }: { events: number }) => 1 - got / all;
  return {
    eventsPerSecond: first!.events / one.seconds,
    fastLost: lostBy(first!),
    slowLost: others.readers.reduce((sum, reader) => sum + lostBy(reader), 0) / others.readers.length,
    disorder: [...one.readers, ...others.readers].reduce((sum, { disorder }) => sum + disorder, 0),
    grownDuring,
    grownAfter: memory.end(),
  };
}

/** Samples a process's memory from now on. */
function watchMemory(pid: number): { highest(): number; end(): number } {
  const before = residentMegabytes(pid);
  let most = before;
  const highest = () => {
    most = Math.max(most, residentMegabytes(pid));
    return most - before;
  };
  const timer = setInterval(highest, 20);
  return {
    highest,
    end() {
      clearInterval(timer);
      return highest();
    },
  };
}
