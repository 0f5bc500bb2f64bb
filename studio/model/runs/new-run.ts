import type { NewRun } from '../../../src/client/index.ts';
import { parseLengthOfTime } from '../length-of-time.ts';
import { parseArgv } from './argv.ts';

/** A file passed to a run, by its name in the working folder. */
export interface GivenFile {
  path: string;
  text: string;
}

/** The form as entered, all of it text. */
export interface RunForm {
  what: 'engine' | 'command';
  engine: string;
  prompt: string;
  command: string;
  mode: 'auto' | 'interactive';
  model: string;
  cwd: string;
  timeout: string;
  noProgress: string;
  attempts: string;
  tokens: string;
  cost: string;
  priority: string;
  replyAfter: string;
  replyText: string;
  files: readonly GivenFile[];
}

export type FormField = Exclude<keyof RunForm, 'what'>;
type TextField = Exclude<FormField, 'files'>;
type Mistake = 'needed' | 'notDuration' | 'notNumber' | 'unclosed';
export type Mistakes = Partial<Record<FormField, Mistake>>;

export const EMPTY_FORM: RunForm = {
  what: 'engine',
  engine: '',
  prompt: '',
  command: '',
  mode: 'auto',
  model: '',
  cwd: '',
  timeout: '',
  noProgress: '',
  attempts: '',
  tokens: '',
  cost: '',
  priority: '',
  replyAfter: '',
  replyText: '',
  files: [],
};

/** The request of a form, or its mistakes. Some things only the server can check. */
export function requestOf(form: RunForm): { run: NewRun } | { mistakes: Mistakes } {
  const mistakes: Mistakes = {};
  const read = <T>(field: TextField, parse: (text: string) => T | null, mistake: Mistake): T | undefined => {
    const text = form[field].trim();
    if (text === '') return undefined;
    const value = parse(text);
    if (value === null) mistakes[field] = mistake;
    return value ?? undefined;
  };
  const lengthOfTime = (field: TextField) => read(field, parseLengthOfTime, 'notDuration');
  const number = (field: TextField) => read(field, parseNumber, 'notNumber');
  const text = (field: TextField) => read(field, (given) => given, 'needed');

  const limits = withoutGaps({
    timeout_ms: lengthOfTime('timeout'),
    no_progress_timeout_ms: lengthOfTime('noProgress'),
    max_attempts: number('attempts'),
    total_tokens: number('tokens'),
    cost_usd: number('cost'),
  });
  const files = form.files.length > 0 ? [...form.files] : undefined;
  const common = withoutGaps({ cwd: text('cwd'), priority: number('priority'), files });
  const asked = form.what === 'engine' ? engineRequest(form, mistakes) : commandRequest(form, mistakes);
  const reply = autoReply(form, lengthOfTime('replyAfter'), mistakes);
  if (Object.keys(mistakes).length > 0) return { mistakes };
  return { run: { ...asked, ...common, ...reply, ...(Object.keys(limits).length > 0 ? { limits } : {}) } };
}

function engineRequest({ engine, prompt, mode, model }: RunForm, mistakes: Mistakes): NewRun {
  if (engine === '') mistakes.engine = 'needed';
  if (prompt.trim() === '') mistakes.prompt = 'needed';
  return { engine, prompt, mode, ...withoutGaps({ model: model.trim() || undefined }) };
}

function commandRequest({ command }: RunForm, mistakes: Mistakes): NewRun {
  const { argv, open } = parseArgv(command);
  if (open !== null) mistakes.command = 'unclosed';
  else if (argv.length === 0) mistakes.command = 'needed';
  return { command: argv };
}

/** Only a run that may ask can have an auto-reply, which needs both of its fields. */
function autoReply(form: RunForm, after_ms: number | undefined, mistakes: Mistakes): Pick<NewRun, 'auto_reply'> {
  if (form.what === 'command' || form.mode === 'auto') return {};
  const text = form.replyText;
  if (after_ms === undefined) {
    if (text.trim() !== '') mistakes.replyAfter ??= 'needed';
    return {};
  }
  if (text.trim() === '') mistakes.replyText = 'needed';
  return { auto_reply: { after_ms, text } };
}

function parseNumber(text: string): number | null {
  const value = Number(text.replace('−', '-'));
  return Number.isFinite(value) ? value : null;
}

function withoutGaps<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
