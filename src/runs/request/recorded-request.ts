import fs from 'node:fs';
import path from 'node:path';
import { readAt } from '../../files/index.ts';
import { EVENTS_FILE, type RaspEvent, type RunRecord, type RunRequest } from '../../protocol/index.ts';
import type { RunFolder } from '../../recording/index.ts';
import { parseRunRequest } from './settle-request.ts';
import { briefPrompt } from './shown-request.ts';

/** It is among the first events of a run, and has room here however it is escaped. */
const FIRST_BYTES = 1024 * 1024;

/**
 * What a run was asked for, as its record says it: without the values of variables and the contents of files. Null for
 * a run nobody requested, such as an imported one. Records of earlier versions say less.
 */
export function recordedRequest({ request, launch, engine, command, mode, limits }: RunRecord): RunRequest | null {
  if (typeof request === 'object') {
    const { env: _names, files: _files, ...rest } = request;
    return { ...rest, env: {}, pass_env: [], inherit_env: true };
  }
  if (engine === 'text') return parseRunRequest({ command, limits });
  if (!launch) return null;
  const { model, base_url, format, engine_args, require_marker, parse, prompt = '' } = launch;
  return parseRunRequest({
    engine,
    prompt: request ?? prompt,
    mode,
    engine_args,
    require_marker,
    parse,
    limits,
    model: model ?? undefined,
    base_url: base_url ?? undefined,
    format: format ?? undefined,
  });
}

/** What an engine's run was asked for first. Older records have only what was said last; then the events tell. */
export function firstRequest(record: RunRecord, folder: RunFolder): string | null {
  const { request, launch, attempt } = record;
  if (request !== undefined) return typeof request === 'string' ? request : (request.prompt ?? null);
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
    return said ? briefPrompt((said as RaspEvent<'interaction.reply.accepted'>).data.text) : null;
  } catch {
    return null; // Events that cannot be read are told of where they are asked for.
  } finally {
    if (fd !== null) fs.closeSync(fd);
  }
}
