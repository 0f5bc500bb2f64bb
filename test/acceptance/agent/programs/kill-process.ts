// Kills one of the processes of an agent and its child when a chosen event is written to one of their logs. Loaded into all
// of them with --import, so that the product needs no switch of its own.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { cutAt, lineOf, pathOf } from './log-writes.ts';

/** `{"folder":…,"run":…,"kind":"after","seq":12,"who":"daemon"}` */
interface Kill {
  folder: string;
  run: string;
  kind: 'before' | 'torn' | 'after';
  seq: number;
  who: Role;
}
type Role = 'parent' | 'daemon' | 'child';

const folder = process.env.CRASH_FOLDER!;
const kill: Kill | null = process.env.CRASH_AT ? JSON.parse(process.env.CRASH_AT) : null;

function ownRole(): Role {
  if (process.argv[1]?.endsWith('child-agent.js')) return 'child';
  return process.argv.includes('serve') ? 'daemon' : 'parent';
}

const role = ownRole();
fs.writeFileSync(path.join(folder, `${role}.pid`), String(process.pid));

const { writeSync } = fs;

/** The first one to get there kills; what runs afterwards is left alone. */
function isFirst(): boolean {
  try {
    fs.mkdirSync(path.join(folder, 'killed'));
    return true;
  } catch {
    return false;
  }
}

function killNow({ who }: Kill): void {
  if (who === role) {
    process.kill(process.pid, 'SIGKILL');
    for (;;);
  }
  try {
    process.kill(Number(fs.readFileSync(path.join(folder, `${who}.pid`), 'utf8')), 'SIGKILL');
  } catch {
    // It does not run now.
  }
}

function writeAndKill(fd: number, data: Buffer, rest: readonly number[]): number | null {
  if (!kill || !pathOf(fd).endsWith(`/${kill.run}/events.jsonl`)) return null;
  const [offset = 0, length = data.length - offset, position] = rest;
  const line = lineOf(Buffer.from(data.buffer, data.byteOffset + offset, length), kill.seq);
  const end = line && cutAt(kill.kind, line);
  if (end === null || !isFirst()) return null;
  const written = end > 0 ? writeSync(fd, data, offset, end, position) : 0;
  killNow(kill);
  return written + (written < length ? writeSync(fd, data, offset + written, length - written, position) : 0);
}

if (kill) {
  fs.writeSync = ((fd: number, data: Buffer | string, ...rest: never[]) => {
    const written = typeof data === 'string' ? null : writeAndKill(fd, data, rest);
    return written ?? writeSync(fd, data as Buffer, ...(rest as []));
  }) as typeof fs.writeSync;
  syncBuiltinESMExports();
}
