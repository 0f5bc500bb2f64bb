// Ends this process at a chosen point of its log. It has to be the first import: it stands between the program and the
// file system, so that the product needs no switch of its own.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { cutAt, lineOf, pathOf } from './log-writes.ts';

/** `before:12`, `torn:12`, `after:12`: around the append of event 12. `entered:2`, `left:2`: in the second effect. */
const [kind, at] = (process.env.KILL_AT ?? '').split(':');
const wanted = Number(at);

/** What reached the disk and in which order, with TRACE. */
export const trace: string[] = [];
const isTraced = process.env.TRACE !== undefined;

function killSelf(): never {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

let effects = 0;
/** To be called around each effect. */
export function effectPoint(point: 'entered' | 'left', name: string): void {
  if (point === 'entered') effects++;
  if (isTraced) trace.push(`${point} ${name}`);
  if (kind === point && effects === wanted) killSelf();
}

function fileOf(fd: number): string {
  return pathOf(fd).split('/').at(-1)!;
}

const { writeSync, fdatasync } = fs;

function noteWrite(file: string, bytes: Buffer): void {
  const types = bytes.toString('latin1').matchAll(/"seq":\d+,"ts":"[^"]+","type":"([a-z_]+)"/g);
  const what = file === 'events.jsonl' ? Array.from(types, ([, type]) => type).join(' ') : '';
  trace.push(`write ${file} ${what}`.trim());
}

fs.writeSync = ((fd: number, data: Buffer | string, ...rest: never[]) => {
  if (typeof data !== 'string') {
    const [offset = 0, length = data.length - offset, position] = rest as unknown as number[];
    const bytes = Buffer.from(data.buffer, data.byteOffset + offset, length);
    const file = fileOf(fd);
    if (isTraced) noteWrite(file, bytes);
    const line = file === 'events.jsonl' ? lineOf(bytes, wanted) : null;
    const end = line && cutAt(kind, line);
    if (end !== null) {
      if (end > 0) writeSync(fd, data, offset, end, position);
      killSelf();
    }
  } else if (isTraced) noteWrite(fileOf(fd), Buffer.from(data));
  return writeSync(fd, data as Buffer, ...(rest as []));
}) as typeof fs.writeSync;

const tracedSync = (fd: number, done: fs.NoParamCallback) => {
  const file = fileOf(fd);
  fdatasync(fd, (error) => {
    trace.push(`synced ${file}`);
    done(error);
  });
};
if (isTraced) fs.fdatasync = tracedSync as typeof fs.fdatasync;
syncBuiltinESMExports();
