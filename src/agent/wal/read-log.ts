import { nodeSha256 } from '../../journal/index.ts';
import { AGENT_VERSION, type AgentEvent, TachoError } from '../../protocol/index.ts';
import { type WalkedLine, walkChain } from '../../record/walk-chain.ts';
// Not by the index, which loads what records terminals.
import { openRecordFile } from '../../recording/folder-files.ts';
import { damaged } from './damage.ts';
import type { Head } from './head-file.ts';
import type { RunPaths } from './run-folder.ts';

export interface ReadLogOptions {
  /** The log must have these events. */
  heads?: readonly Head[];
  /** True for a reader beside the writer, which may be in the middle of a line. */
  allowTorn?: boolean;
}

/** All events, each line checked. Throws JOURNAL_DAMAGED, with line and reason, where anything was changed from outside. */
export async function* readLog(
  paths: Pick<RunPaths, 'runId' | 'log'>,
  { heads = [], allowTorn = false }: ReadLogOptions = {},
): AsyncGenerator<AgentEvent, void, undefined> {
  const file = await openRecordFile(paths.log);
  const scope = { runId: paths.runId, sha256: nodeSha256, version: AGENT_VERSION };
  let next = 0;
  let byte = 0;
  try {
    for await (const lines of walkChain(file, scope)) {
      for (const walked of lines) {
        if (allowTorn && walked.problem?.kind === 'torn') continue;
        const event = eventOf(walked, paths);
        if (heads.some(({ seq, chain }) => seq === event.seq && chain !== event.chain)) {
          throw damaged(paths.log, { line: next, byte, reason: 'the log up to here was written anew' });
        }
        yield event;
        next = event.seq;
        byte = walked.byteTo;
      }
    }
  } finally {
    await file?.close();
  }
  const lines = Math.max(0, ...heads.map(({ seq }) => seq));
  if (next < lines) throw damaged(paths.log, { line: next, byte, reason: endsEarly(lines) });
}

export function endsEarly(lines: number): string {
  return `the log ends here; it had at least ${lines} lines`;
}

function eventOf(
  { line, byteFrom, bytes, problem }: WalkedLine,
  { runId, log }: Pick<RunPaths, 'runId' | 'log'>,
): AgentEvent {
  const at = { line: line - 1, byte: byteFrom };
  if (problem !== null) throw damaged(log, { ...at, reason: problem.message });
  const event = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as AgentEvent;
  if (event.run_id !== runId) throw damaged(log, { ...at, reason: `an event of run "${event.run_id}"` });
  if (event.protocol_version === AGENT_VERSION) return event;
  throw new TachoError('FORMAT_TOO_NEW', `${log} was written by another version of tacho (${event.protocol_version})`, {
    facts: { path: log, ...at, version: event.protocol_version },
    fix: 'Use that version of tacho, or a newer one.',
  });
}
