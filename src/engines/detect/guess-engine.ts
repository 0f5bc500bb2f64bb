import type { RaspData, RaspDraft } from '../../protocol/index.ts';
import type { EngineProfile } from '../engine.ts';

export interface EngineGuess {
  profile: EngineProfile;
  /** Events that its parser read from the beginning of the log, less those it did not understand. */
  score: number;
}

/** Reading events of an engine's own protocol is this sure; plain text never is. */
const SURE = 0.9;
const UNKNOWN_FIELDS = 0.1;

/**
 * Which engine printed a log: the one whose parser understands most of its beginning. Null if none understands more than
 * it does not, as with plain text.
 */
export function guessEngine(head: Uint8Array, profiles: readonly EngineProfile[]): EngineGuess | null {
  const text = Buffer.from(head).toString('latin1');
  const marked = profiles.filter(({ mark }) => mark?.test(text));
  return (
    bestOf(head, marked) ??
    bestOf(
      head,
      profiles.filter(({ mark }) => !mark),
    )
  );
}

function bestOf(head: Uint8Array, profiles: readonly EngineProfile[]): EngineGuess | null {
  let best: EngineGuess | null = null;
  for (const profile of profiles) {
    const score = scoreOf(head, profile);
    if (score > 0 && (best === null || score > best.score)) best = { profile, score };
  }
  return best;
}

/** How much of a log's beginning the engine's parser understands; 0 or less if it is not the engine's. */
export function scoreOf(head: Uint8Array, { name, parser }: EngineProfile): number {
  const reader = parser.create({ attempt: 1, engine: name, origin: {}, imported: true });
  const drafts = [...reader.push('stdout', head, 1), ...reader.end({ exit_code: null, signal: null, time: 1 })];
  return drafts.reduce((sum, draft) => sum + weightOf(draft), 0);
}

function weightOf({ event, data, source }: RaspDraft): number {
  if (event.category === 'raw') return 0;
  if (event.type === 'diagnostic.parser.warning') {
    const { code, problem } = data as RaspData<'diagnostic.parser.warning'> & { problem?: string };
    if (code !== 'UNPARSED_CONTENT') return 0;
    return problem === 'unknown fields' ? -UNKNOWN_FIELDS : -1;
  }
  const opensSession = event.type === 'lifecycle.run.status' && 'session_id' in data;
  return source.confidence >= SURE || opensSession ? 1 : 0;
}
