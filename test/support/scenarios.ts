import type { RunAnswer } from './tacho.ts';

/** One engine in one output format, as the scenarios run it. */
export interface Variant {
  name: string;
  engine: string;
  /** Folder of its fixtures; a second format has its own cases there. */
  arguments: readonly string[];
}

export const VARIANTS: readonly Variant[] = [
  { name: 'codex', engine: 'codex', arguments: ['--model', 'gpt-5.5'] },
  { name: 'gemini stream-json', engine: 'gemini', arguments: ['--model', 'gemini-2.5-flash'] },
  { name: 'gemini json', engine: 'gemini', arguments: ['--model', 'gemini-2.5-flash', '--format', 'json'] },
  { name: 'opencode', engine: 'opencode', arguments: [] },
  { name: 'claude', engine: 'claude', arguments: ['--model', 'claude-sonnet-4-5'] },
  { name: 'qwen', engine: 'qwen', arguments: ['--model', 'qwen3-coder-plus'] },
  { name: 'pi', engine: 'pi', arguments: [] },
];

type Ending = Pick<RunAnswer, 'status'> & { state: string; reason_code: string };
const done = (reason_code: string): Ending => ({ status: 'succeeded', state: 'completed', reason_code });
const failed = (reason_code: string): Ending => ({ status: 'failed', state: 'interrupted', reason_code });

export interface Scenario {
  name: string;
  /** The behaviour of the model server. */
  server: string;
  /** Nothing listens at the server's address. */
  refused?: boolean;
  arguments?: readonly string[];
  /** The expected end, for every variant or by engine. */
  ending: Ending | Record<string, Ending>;
  /** A file that the agent creates. */
  artifact?: string;
}

const LIMIT = ['--no-progress-timeout', '25s'];

/** Scenarios with one attempt each; a question with its reply and a signal are tested separately. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'text', server: 'text', ending: done('TERMINAL_SIGNAL') },
  { name: 'tool', server: 'tool', ending: done('DONE_MARKER'), artifact: 'artifacts/demo.txt' },
  { name: 'write', server: 'write', ending: done('DONE_MARKER'), artifact: 'artifacts/demo.txt' },
  { name: 'r429', server: 'r429', ending: done('DONE_MARKER') },
  {
    name: 'e500',
    server: 'e500',
    arguments: LIMIT,
    // opencode retries for ever without printing anything.
    ending: {
      codex: failed('ENGINE_ERROR'),
      gemini: failed('ENGINE_ERROR'),
      claude: failed('ENGINE_ERROR'),
      opencode: failed('ENGINE_NO_PROGRESS'),
      qwen: failed('ENGINE_NO_PROGRESS'),
      pi: failed('ENGINE_ERROR'),
    },
  },
  { name: 'e401', server: 'e401', arguments: LIMIT, ending: failed('ENGINE_AUTH_REQUIRED') },
  {
    name: 'refused',
    server: 'text',
    refused: true,
    arguments: LIMIT,
    ending: {
      codex: failed('ENGINE_NO_PROGRESS'),
      gemini: failed('ENGINE_ERROR'),
      claude: failed('ENGINE_ERROR'),
      opencode: failed('ENGINE_NO_PROGRESS'),
      qwen: failed('ENGINE_NO_PROGRESS'),
      pi: failed('ENGINE_ERROR'),
    },
  },
  { name: 'no progress', server: 'hang', arguments: LIMIT, ending: failed('ENGINE_NO_PROGRESS') },
  { name: 'marker in tool output', server: 'marker-in-tool', ending: done('TERMINAL_SIGNAL') },
  { name: 'lower-case marker', server: 'lower', ending: done('DONE_MARKER') },
];

export function endingOf({ ending }: Scenario, engine: string): Ending {
  return 'status' in ending ? (ending as Ending) : (ending as Record<string, Ending>)[engine]!;
}
