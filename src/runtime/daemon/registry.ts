import fs from 'node:fs';
import * as z from 'zod';
import { readProcessStat, readRegularFile, writeWhole } from '../../files/index.ts';
import type { SessionLedger } from '../../terminal/index.ts';

const entrySchema = z.object({
  session_id: z.string(),
  /** The value of TACHO_MARKER in the environment of every process of the session. */
  marker: z.string(),
  /** Null while the program is starting. */
  pid: z.int().nullable(),
  start_time: z.string().nullable(),
  created_at_ms: z.int(),
  /** Files created for a sandbox, to be removed with it. */
  sandbox_files: z.array(z.string()).default([]),
});
export type RegistryEntry = z.infer<typeof entrySchema>;
const lineSchema = z.union([z.object({ runs: entrySchema }), z.object({ gone: z.string() })]);

/** Maximum number of outdated lines in the file. */
const MAX_STALE = 2000;

/**
 * Reads the sessions that a daemon left behind. The file has one JSON object per line, because appending is cheap and
 * replacing the file for every command is not: `{"runs": entry}`, which replaces an earlier entry of that session, or
 * `{"gone": session_id}`. An unreadable line was cut off by a crash, before its session was reported to any client.
 */
export function readRegistry(file: string): RegistryEntry[] {
  const entries = new Map<string, RegistryEntry>();
  for (const text of readLines(file)) {
    const line = lineSchema.safeParse(parse(text));
    if (!line.success) continue;
    if ('gone' in line.data) entries.delete(line.data.gone);
    else entries.set(line.data.runs.session_id, line.data.runs);
  }
  return [...entries.values()];
}

export interface Registry extends SessionLedger {
  summary(): { path: string; entries: number };
}

/**
 * Records each session before its program starts, and when nothing of it is left. `shown` is the file name in messages.
 */
export function createRegistry(file: string, shown = file): Registry {
  const entries = new Map<string, RegistryEntry>();
  let stale = 0;
  let fd = rewrite();
  function rewrite(): number {
    writeWhole(file, [...entries.values()].map((runs) => `${JSON.stringify({ runs })}\n`).join(''));
    return fs.openSync(file, 'a');
  }
  const add = (line: object): void => {
    fs.writeSync(fd, `${JSON.stringify(line)}\n`);
    if (++stale < MAX_STALE) return;
    fs.closeSync(fd);
    fd = rewrite();
    stale = 0;
  };
  const put = (entry: RegistryEntry): void => {
    entries.set(entry.session_id, entry);
    add({ runs: entry });
  };
  return {
    opening: ({ id, marker, sandbox_files = [] }) =>
      put({
        session_id: id,
        marker,
        pid: null,
        start_time: null,
        created_at_ms: Date.now(),
        sandbox_files: [...sandbox_files],
      }),
    opened: ({ id, pid }) => {
      const entry = entries.get(id);
      if (entry && pid !== null) put({ ...entry, pid, start_time: readProcessStat(pid)?.startTime ?? null });
    },
    gone: (id) => {
      if (entries.delete(id)) add({ gone: id });
    },
    summary: () => ({ path: shown, entries: entries.size }),
  };
}

function readLines(file: string): string[] {
  try {
    return readRegularFile(file).split('\n');
  } catch {
    return []; // There was no daemon before.
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
