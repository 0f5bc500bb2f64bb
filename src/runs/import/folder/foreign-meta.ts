import * as z from 'zod';
import { type ClaimedCompletion, completionStateSchema, type RunMode } from '../../../protocol/index.ts';
import { dateOf } from '../formats/terminal-moment.ts';
import type { Exit } from '../import-source.ts';

/** What `meta.N.json` of another recorder says, as far as it can be understood. */
export interface ForeignMeta {
  engine: string | null;
  exit: Exit | null;
  /** Milliseconds since the epoch. */
  startedAt: number | null;
  endedAt: number | null;
  command: readonly string[];
  mode: RunMode | null;
  completion: ClaimedCompletion | null;
  /** It is there, and cannot be read. */
  isDamaged?: boolean;
}

export const NO_META: ForeignMeta = {
  engine: null,
  exit: null,
  startedAt: null,
  endedAt: null,
  command: [],
  mode: null,
  completion: null,
};

const text = z.string().optional().catch(undefined);
const code = z.int().min(0).max(255).nullish().catch(undefined);
const words = z.array(z.string()).optional().catch(undefined);
const anyObject = z.looseObject({}).optional().catch(undefined);

/** Both spellings of names occur. Fields of another type are as good as missing. */
const metaSchema = z.looseObject({
  engine: text,
  agent: text,
  exit_code: code,
  exitCode: code,
  signal: z.string().nullish().catch(undefined),
  started_at: text,
  startedAt: text,
  ended_at: text,
  endedAt: text,
  finished_at: text,
  finishedAt: text,
  command: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  args: words,
  launch: anyObject,
  completion: anyObject,
});

/** Null if it is not a JSON object. */
export function readForeignMeta(json: string): ForeignMeta | null {
  const meta = metaSchema.safeParse(parsed(json)).data;
  if (!meta) return null;
  const exitCode = meta.exit_code ?? meta.exitCode ?? null;
  const signal = meta.signal || null;
  const launch = z.looseObject({ command: words, execution_mode: text }).safeParse(meta.launch ?? {}).data;
  const program = typeof meta.command === 'string' ? [meta.command] : (meta.command ?? []);
  const command = program.length > 0 ? [...program, ...(meta.args ?? [])] : (launch?.command ?? meta.args ?? []);
  return {
    engine: meta.engine ?? meta.agent ?? null,
    exit: exitCode === null && signal === null ? null : { exit_code: signal ? null : exitCode, signal },
    startedAt: timeOf(meta.started_at ?? meta.startedAt),
    endedAt: timeOf(meta.ended_at ?? meta.endedAt ?? meta.finished_at ?? meta.finishedAt),
    command,
    mode: launch?.execution_mode === 'interactive' ? 'interactive' : null,
    completion: completionOf(meta.completion),
  };
}

function completionOf(value: unknown): ForeignMeta['completion'] {
  const schema = z.looseObject({ state: completionStateSchema, reason_code: text, reasonCode: text });
  const { data } = schema.safeParse(value);
  if (!data) return null;
  const reason = data.reason_code ?? data.reasonCode ?? '';
  return { state: data.state, reason_code: /^[A-Z][A-Z0-9_]{0,63}$/.test(reason) ? reason : 'IMPORTED' };
}

/** A time without a zone is taken for UTC: where it was written is not known. */
function timeOf(value: string | undefined): number | null {
  if (value === undefined) return null;
  const time = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value.replace(' ', 'T')}Z`);
  return dateOf(time);
}

const PROMPT_OPTIONS = new Set(['-p', '--prompt']);
/** Options of engines whose value may be the last word, and subcommands that may be, when the prompt came another way. */
const VALUE_OPTION =
  /^(?:-[mCcsai]|--(?:model|cd|config|sandbox|profile|agent|session|resume|color|output-format|format))$/;
const SUBCOMMANDS = new Set(['exec', 'run', 'resume']);

/** The prompt in a command line: what follows `-p`, which is a switch of some engines, or else the last word. */
export function promptOf(command: readonly string[]): string | null {
  const [, ...words] = command;
  const joined = words.find((word) => word.startsWith('--prompt='));
  if (joined !== undefined) return joined.slice('--prompt='.length).trim() || null;
  const option = words.findIndex((word, index) => PROMPT_OPTIONS.has(word) && isText(words[index + 1]));
  if (option >= 0) return words[option + 1]!.trim();
  const [before = '', last] = [words.at(-2), words.at(-1)];
  return isText(last) && !VALUE_OPTION.test(before) && !SUBCOMMANDS.has(last) ? last.trim() : null;
}

function isText(word: string | undefined): word is string {
  return word !== undefined && word.trim() !== '' && !word.startsWith('-');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return null; // Cut off, or never JSON.
  }
}
