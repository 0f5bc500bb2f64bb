import fs from 'node:fs';
import path from 'node:path';
import { nodeSha256 } from '../../src/journal/index.ts';
import { attemptFileNames } from '../../src/protocol/index.ts';
import { genesisChain } from '../../src/record/chain.ts';
import type { RunFolder } from '../../src/recording/index.ts';

type Line = Record<string, unknown>;

/** Event and message types of the imaginary newer version. */
export const NEWER_TYPES = ['agent.thought.branched', 'telepathy.started', 'diagnostic.model.note', 'raw.audio'];

/**
 * Changes a recorded run to what a newer version of tacho might write: unknown event and message types, categories and
 * fields, a newer event protocol, and newer versions of every format. The chain is intact, and no ledger here lists it.
 */
export function makeNewer(folder: RunFolder, { chunks = false }: { chunks?: boolean } = {}): void {
  const names = attemptFileNames(1);
  const audit = (name: string) => path.join(folder.audit, name);
  writeLines(audit('events.jsonl'), chained(folder.runId, newerEvents(readLines(audit('events.jsonl')))));
  const conversation = audit('conversation.jsonl');
  if (fs.existsSync(conversation)) {
    const messages = readLines(conversation).flatMap((message, index) =>
      index % 3 === 0 ? [{ ...message, type: 'assistant.dream', data: { sheep: index } }, message] : [message],
    );
    const lines = messages.map((message, index) => ({ ...message, seq: index + 1, mood: 'good' }));
    writeLines(
      conversation,
      lines.map((line) => JSON.stringify(line)),
    );
  }
  change(path.join(folder.path, '.run.json'), 'tacho-run/9');
  change(audit(names.meta), 'tacho-meta/9');
  change(audit(names.fsDiff), 'tacho-fs-diff/9');
  change(audit(names.seal), 'tacho-seal/9');
  fs.rmSync(path.resolve(folder.path, '../../ledger'), { recursive: true, force: true });
  if (!chunks) return;
  const index = fs.readFileSync(audit(names.chunks));
  index.write('TACHO-CHUNKS/9\n', 'latin1');
  fs.writeFileSync(audit(names.chunks), index);
}

function newerEvents(events: readonly Line[]): Line[] {
  const newer = events.flatMap((event, index) => {
    const type = NEWER_TYPES[index % NEWER_TYPES.length]!;
    const data = [null, 'text', { text: 7, code: 1, severity: 'dire' }, [1, 2]][index % 4];
    const unknown = { ...event, event: { category: type.split('.')[0], type, shade: 'blue' }, data };
    return [{ ...event, mood: 'good', data: { ...(event.data as object), mood: 'good' } }, unknown];
  });
  const unreadable = {
    ...events[0]!,
    event: { category: 'lifecycle', type: 'lifecycle.run.status' },
    data: { status: 5 },
  };
  return [...newer, unreadable].map((event, index) => ({
    ...event,
    protocol_version: event === unreadable || index % 2 === 1 ? 'rasp/9.0' : 'rasp/1.0',
    seq: index + 1,
  }));
}

function chained(runId: string, events: readonly Line[]): string[] {
  let previous = genesisChain(runId, nodeSha256);
  return events.map(({ chain: _old, ...event }) => {
    const json = JSON.stringify(event);
    previous = nodeSha256.of(previous + json);
    return `${json.slice(0, -1)},"chain":"${previous}"}`;
  });
}

function change(file: string, format: string): void {
  const value = JSON.parse(fs.readFileSync(file, 'utf8')) as Line;
  fs.writeFileSync(file, JSON.stringify({ ...value, format, mood: 'good' }));
}

function readLines(file: string): Line[] {
  return fs
    .readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function writeLines(file: string, lines: readonly string[]): void {
  fs.writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
}
