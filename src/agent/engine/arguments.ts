import { parseArgs } from 'node:util';

export interface EngineArguments {
  prompt: string;
  /** The agent run to continue. */
  session: string | null;
  /** There is no user: questions are not asked. */
  unattended: boolean;
  model: string | undefined;
  baseUrl: string | undefined;
  provider: string | undefined;
  /** How long to wait for an approval before the turn ends. */
  approvalWaitMs: number;
  skills: string | undefined;
  artifacts: string | undefined;
}

export const USAGE = `Usage: tacho-agent run --prompt <text> [--session <id>]

The agent of the configuration, in the folder it is started in. Prints the lines of its log.

  --session <id>        continue an agent run; the prompt is the answer, the decision or a message
  --unattended          ask no questions
  --model <name>        model to use (default: models.executor)
  --base-url <url>      model server to use, without /v1 (default: llm.base_url)
  --provider <name>     kind of the model service (default: llm.provider)
  --approval-wait <ms>  how long to wait for an approval before the turn ends (default: 60000)
  --skills <folder>     skills of the run, as the namespace run
  --artifacts <folder>  where those skills put files
`;

const DEFAULT_WAIT_MS = 60_000;

/** Throws an error with a readable message for invalid arguments. */
export function readArguments(words: readonly string[]): EngineArguments {
  const [command, ...rest] = words;
  if (command !== 'run') throw new Error(`unknown command "${command ?? ''}"`);
  const { values } = parseArgs({
    args: rest,
    options: {
      prompt: { type: 'string' },
      session: { type: 'string' },
      unattended: { type: 'boolean', default: false },
      model: { type: 'string' },
      'base-url': { type: 'string' },
      provider: { type: 'string' },
      'approval-wait': { type: 'string', default: String(DEFAULT_WAIT_MS) },
      skills: { type: 'string' },
      artifacts: { type: 'string' },
    },
  });
  if (values.prompt === undefined) throw new Error('--prompt is missing');
  return {
    prompt: values.prompt,
    session: values.session ?? null,
    unattended: values.unattended,
    model: values.model,
    baseUrl: values['base-url'],
    provider: values.provider,
    approvalWaitMs: amount('--approval-wait', values['approval-wait']),
    skills: values.skills,
    artifacts: values.artifacts,
  };
}

/** The longest time that a Node timer can be set for. */
const MAX_TIMER_MS = 2_147_483_647;

function amount(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= MAX_TIMER_MS) return value;
  throw new Error(`${option} must be a number of milliseconds from 0, got "${text}"`);
}
