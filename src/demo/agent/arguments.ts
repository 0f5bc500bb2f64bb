import { parseArgs } from 'node:util';

export interface AgentArguments {
  prompt: string;
  session: string | null;
  /** There is no user: the agent decides by itself instead of asking. */
  unattended: boolean;
  /** Factor for all pauses; 0 for no pauses. */
  pace: number;
  approvalWaitMs: number;
}

export const USAGE = `Usage: tacho-demo-agent run --prompt <text> [--session <id>]

A scripted agent: no model, no account. It really runs commands and writes files in the folder it is started in.
A prompt with the word fail, slow or approve plays that script; any other writes a small report.

  --session <id>        go on with a session; the prompt is the answer to what was asked
  --unattended          ask nothing
  --pace <factor>       factor for all pauses (default: 1; 0 for none)
  --approval-wait <ms>  how long to wait for an approval before giving the turn up (default: 60000)
`;

/** Throws an error with a readable message for invalid arguments. */
export function readArguments(words: readonly string[]): AgentArguments {
  const [command, ...rest] = words;
  if (command !== 'run') throw new Error(`unknown command "${command ?? ''}"`);
  const { values } = parseArgs({
    args: rest,
    options: {
      prompt: { type: 'string' },
      session: { type: 'string' },
      unattended: { type: 'boolean', default: false },
      pace: { type: 'string', default: '1' },
      'approval-wait': { type: 'string', default: '60000' },
    },
  });
  if (values.prompt === undefined) throw new Error('--prompt is missing');
  return {
    prompt: values.prompt,
    session: values.session ?? null,
    unattended: values.unattended,
    pace: amount('--pace', values.pace),
    approvalWaitMs: amount('--approval-wait', values['approval-wait']),
  };
}

function amount(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new Error(`${option} takes a number from 0, not "${text}"`);
}
