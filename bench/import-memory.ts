import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Row } from './row.ts';

export const name = 'memory for the import of a large log';
export const goal = '≤ 1.25× that of a log of 64 MB';
export const about =
  'A log of codex events, of 64 MB and of 1 GB, imported by the built command: copied, parsed, chained, folded into a conversation, sealed. ' +
  'Highest resident memory of the process. Its heap is limited to 64 MB, so that garbage does not count: V8 collects a default ' +
  'heap later, the more memory the machine has.';

const MEGABYTE = 1_000_000;
const SIZES = { small: 64 * MEGABYTE, large: 1000 * MEGABYTE };
const LIMIT = 1.25;
const POLL_INTERVAL_MS = 50;
const LIMITED_HEAP = ['--max-old-space-size=64'];

export async function run(): Promise<Row[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-bench-'));
  const measure = async (options: readonly string[]) => {
    const small = await importLog(folder, SIZES.small, options);
    const large = await importLog(folder, SIZES.large, options);
    const ratio = large.megabytes / small.megabytes;
    return {
      ours: `${large.megabytes.toFixed(0)} MB`,
      peer: `${small.megabytes.toFixed(0)} MB`,
      peerName: 'the same with 64 MB',
      ratio,
      note: `${(SIZES.large / MEGABYTE / large.seconds).toFixed(0)} MB/s`,
    };
  };
  try {
    const limited = await measure(LIMITED_HEAP);
    return [
      { what: '1 GB codex log imported: peak memory', ...limited, goal, met: limited.ratio <= LIMIT },
      { what: 'the same with a default heap', ...(await measure([])), goal: '–', met: null },
    ];
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

interface Import {
  megabytes: number;
  seconds: number;
}

async function importLog(folder: string, bytes: number, options: readonly string[]): Promise<Import> {
  const log = path.join(folder, 'codex.log');
  const data = path.join(folder, 'data');
  writeLog(log, bytes);
  const tacho = path.join(path.dirname(import.meta.dirname), 'bin/tacho');
  const started = performance.now();
  const words = [...options, tacho, 'import', 'codex', '--stdout', log, '--exit-code', '0', '--data', data];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'inherit'] });
  let megabytes = 0;
  const polling = setInterval(() => {
    megabytes = Math.max(megabytes, peakOf(child.pid!));
  }, POLL_INTERVAL_MS);
  const code = await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(polling);
  if (code !== 0) throw new Error(`tacho import exited with ${code}`);
  const seconds = (performance.now() - started) / 1000;
  fs.rmSync(data, { recursive: true, force: true });
  fs.rmSync(log);
  return { megabytes, seconds };
}

/** The most memory the process has had so far; 0 when it is gone. */
function peakOf(pid: number): number {
  try {
    const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8');
    return (Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024) / MEGABYTE || 0;
  } catch {
    return 0;
  }
}

/** A long session: messages, and commands with up to 16 kB of output. */
function writeLog(file: string, bytes: number): void {
  const fd = fs.openSync(file, 'w');
  let size = fs.writeSync(fd, '{"type":"thread.started","thread_id":"01a1de1c-49e5"}\n{"type":"turn.started"}\n');
  for (let n = 0; size < bytes; n++) {
    const output = 'src/engines/codex/items.ts:12: const open = new Set<string>();\n'.repeat(3 + ((n * 37) % 250));
    const shell = {
      id: `item_${n}`,
      type: 'command_execution',
      command: `rg open | head -${n}`,
      aggregated_output: output,
    };
    const events = [
      { type: 'item.completed', item: { id: `text_${n}`, type: 'agent_message', text: `Step ${n} is done.` } },
      { type: 'item.completed', item: { ...shell, exit_code: 0, status: 'completed' } },
    ];
    size += fs.writeSync(fd, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  }
  fs.writeSync(fd, '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":7}}\n');
  fs.closeSync(fd);
}
