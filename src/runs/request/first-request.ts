import fs from 'node:fs';
import path from 'node:path';
import { readAt } from '../../files/index.ts';
import { EVENTS_FILE, type RaspEvent, type RunRecord } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';

/** As much as lists show. */
const SHOWN = 200;
/** It is among the first events of a run, and has room here however it is escaped. */
const FIRST_BYTES = 1024 * 1024;

export function shownRequest(prompt: string): string {
  return prompt.slice(0, SHOWN);
}

/** What an engine's run was asked for first. Older records have only what was said last; then the events tell. */
export function firstRequest(record: RunRecord, folder: RunFolder): string | null {
  const { request, launch, attempt } = record;
  if (request !== undefined) return request;
  const said = launch && attempt > 1 ? firstSaid(folder) : null;
  return said ?? launch?.prompt ?? null;
}

function firstSaid(folder: RunFolder): string | null {
  let fd: number | null = null;
  try {
    fd = fs.openSync(path.join(folder.audit, EVENTS_FILE), 'r');
    const lines = readAt(fd, 0, FIRST_BYTES).toString().split('\n').slice(0, -1);
    const events = lines.map((line) => JSON.parse(line) as RaspEvent);
    const said = events.find(({ event }) => event.type === 'interaction.reply.accepted');
    return said ? shownRequest((said as RaspEvent<'interaction.reply.accepted'>).data.text) : null;
  } catch {
    return null; // Events that cannot be read are told of where they are asked for.
  } finally {
    if (fd !== null) fs.closeSync(fd);
  }
}
