import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../src/config/index.ts';
import type { FcmpMessage } from '../src/protocol/index.ts';
import { FIRST_ATTEMPT, locateDataHome, parseRunRequest, settleRequest, supervise } from '../src/runs/index.ts';
import type { Row } from './row.ts';
import { quantile, tenths } from './support/figures.ts';

export const name = 'live latency, byte to event';
export const goal = 'p99 ≤ 50 ms';
export const about =
  'A program that goes by the name codex prints a message every 20 ms, each with the time at which it was printed. Ours: from there ' +
  'until a watcher has the message, after bytes and event are on disk and it was folded into the conversation. Peer: the same ' +
  'program on a bare pipe, until the line is parsed.';

const PROGRAM = path.join(path.dirname(import.meta.dirname), 'test/agents/codex-like.mjs');
const ROUNDS = 4;

export async function run(): Promise<Row[]> {
  const ours: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    ours.push(...(await recorded()));
    peer.push(...(await piped()));
  }
  const row = (what: string, share: number, limit: number | null): Row => ({
    what,
    ours: tenths(quantile(ours, share)),
    peer: tenths(quantile(peer, share)),
    peerName: 'bare pipe and JSON.parse',
    ratio: null,
    goal: limit === null ? '–' : goal,
    met: limit === null ? null : quantile(ours, share) <= limit,
  });
  return [
    row(`byte to event, p50 of ${ours.length}`, 0.5, null),
    row(`byte to event, p99 of ${ours.length}`, 0.99, 50),
  ];
}

/** A whole run, as by `tacho run codex`. */
async function recorded(): Promise<number[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const bin = path.join(folder, 'bin');
  fs.mkdirSync(bin);
  fs.writeFileSync(path.join(bin, 'codex'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, {
    mode: 0o755,
  });
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, CODEX_LIKE: 'slow' };
  const latencies: number[] = [];
  try {
    const context = {
      home: locateDataHome({ TACHO_HOME: path.join(folder, 'data') }),
      config: loadConfig({ workspaceRoot: folder, env: {} }).config,
      env,
      version: 'bench',
    };
    const wanted = parseRunRequest({ engine: 'codex', prompt: 'go', pass_env: ['CODEX_LIKE'] });
    const order = { ...FIRST_ATTEMPT, exclusive: false };
    await supervise({ request: settleRequest(wanted, context), order }, context, {
      conversed: (messages) => latencies.push(...messages.flatMap(latencyOf)),
    });
    if (latencies.length === 0) throw new Error('no message arrived');
    return latencies;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function latencyOf({ type, data }: FcmpMessage): number[] {
  const printed = type === 'assistant.message.final' && /at (\d+)$/.exec((data as { text: string }).text)?.[1];
  return printed ? [now() - Number(printed)] : [];
}

function piped(): Promise<number[]> {
  const latencies: number[] = [];
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...process.env, CODEX_LIKE: 'slow' },
    stdio: ['ignore', 'pipe', 2],
  });
  let rest = '';
  child.stdout!.on('data', (bytes: Buffer) => {
    const lines = (rest + bytes.toString()).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const { item } = JSON.parse(line) as { item?: { text?: string } };
      const printed = /at (\d+)$/.exec(item?.text ?? '')?.[1];
      if (printed) latencies.push(now() - Number(printed));
    }
  });
  return new Promise((resolve) => child.on('close', () => resolve(latencies)));
}

/** With fractions of a millisecond; the program's own clock has none, so figures are up to 1 ms too high. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
