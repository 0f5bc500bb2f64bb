import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { errnoOf, openRegularHandle } from '../../files/index.ts';
import type { AgentData } from '../../protocol/index.ts';
import { isAgentRunId, type RunPaths, runPaths, runsFolder } from '../wal/run-folder.ts';
import { bytesAt, parsedEvent } from './log-lines.ts';

/** What a run came from, as its first event says. */
export type RunOrigin = Pick<AgentData<'run_started'>, 'parent' | 'forked_from'>;

const MAX_FIRST_LINE = 1024 * 1024;
const PIECE_BYTES = 16 * 1024;
const MAX_KNOWN = 10_000;
const LINE_FEED = 0x0a;

/** First events do not change, so each is read once. */
export class RunOrigins {
  readonly #known = new Map<string, RunOrigin>();

  /** Null while the run has not begun, or if its log does not begin like one. */
  async of(workspaceRoot: string, runId: string): Promise<RunOrigin | null> {
    const paths = runPaths(workspaceRoot, runId);
    const known = this.#known.get(paths.log);
    if (known) return known;
    const origin = await readOrigin(paths);
    if (origin && this.#known.size >= MAX_KNOWN) this.#known.clear();
    if (origin) this.#known.set(paths.log, origin);
    return origin;
  }

  /** Runs of the workspace that work for this one; a fork of such a run does not. */
  async childrenOf(workspaceRoot: string, runId: string): Promise<{ run_id: string; call_id: string }[]> {
    const children: { run_id: string; call_id: string }[] = [];
    for (const name of runsIn(workspaceRoot)) {
      const origin = await this.of(workspaceRoot, name);
      if (origin?.parent?.run_id === runId && !origin.forked_from && name !== runId) {
        children.push({ run_id: name, call_id: origin.parent.call_id });
      }
    }
    return children;
  }
}

async function readOrigin(paths: RunPaths): Promise<RunOrigin | null> {
  try {
    const handle = await openRegularHandle(paths.log);
    try {
      for (let length = PIECE_BYTES; length <= MAX_FIRST_LINE; length *= 4) {
        const bytes = await bytesAt(handle, 0, length);
        const end = bytes.indexOf(LINE_FEED);
        if (end < 0 && bytes.length === length) continue;
        const event = end < 0 ? null : parsedEvent(bytes.subarray(0, end), paths.runId);
        if (typeof event === 'string' || event?.type !== 'run_started') return null;
        const { parent, forked_from } = event.data;
        return { parent, forked_from };
      }
      return null;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return null; // It was removed, or is not a regular file.
  }
}

/** Names of folders that may be runs. */
function runsIn(workspaceRoot: string): string[] {
  const folder = runsFolder(workspaceRoot);
  try {
    // A link could lead anywhere.
    const isFolder = [path.dirname(folder), folder].every((place) => lstatSync(place).isDirectory());
    if (!isFolder) return [];
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && isAgentRunId(entry.name)).map(({ name }) => name);
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return [];
  }
}
