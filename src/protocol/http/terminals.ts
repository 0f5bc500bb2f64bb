import * as z from 'zod';
import { text } from '../run/run-limits.ts';
import {
  createSessionSchema,
  encodingSchema,
  sessionInfoSchema,
  stdinDataSchema,
  streamNameSchema,
} from '../terminal/index.ts';

/** Terminals over HTTP: the sessions of the runtime, of all workspaces whose daemon runs. */

/** A session of some workspace. */
export const terminalViewSchema = sessionInfoSchema.extend({
  terminal_id: z.string().describe('Names the session among those of all workspaces.'),
  workspace: z.string(),
});
export type TerminalView = z.infer<typeof terminalViewSchema>;

export const terminalsAnswerSchema = z.strictObject({
  terminals: z.array(terminalViewSchema),
  unreachable: z
    .array(z.strictObject({ workspace: z.string(), message: z.string() }))
    .describe('Daemons that should be there and do not answer.'),
});
export type TerminalsAnswer = z.infer<typeof terminalsAnswerSchema>;

/** `POST /v1/terminals` */
export const createTerminalSchema = createSessionSchema.extend({
  workspace: text(4096).regex(/^\//, 'an absolute path').describe('A folder; its daemon is started when none runs.'),
});

/** A command for a `shell`. */
export const terminalCommandSchema = z.strictObject({
  command: text(1_048_576),
  stdin: stdinDataSchema.optional().describe('Its whole input; what the session is sent when not given.'),
  timeout_ms: z.int().min(1).max(600_000).default(60_000),
});
export type TerminalCommand = z.infer<typeof terminalCommandSchema>;

export const terminalSignalSchema = z.strictObject({ signal: z.string().regex(/^SIG[A-Z0-9]+$/) });

const cursors = z.partialRecord(streamNameSchema, z.int().min(0));

/** The frames of a terminal's stream, by their names. The id of each is the cursors from which the stream continues. */
export const TERMINAL_FRAMES = {
  'terminal.opened': z.strictObject({
    resume: z.enum(['ok', 'reset']).describe('`reset`: what was shown before does not count any more.'),
    snapshot: z.string().nullable().describe('Draws the screen of a `pty`; its output continues from there.'),
    cursors,
    terminal: terminalViewSchema,
  }),
  'terminal.output': z.strictObject({
    stream: streamNameSchema,
    from: z.int().min(0),
    data: z.string(),
    encoding: encodingSchema,
  }),
  'terminal.gap': z.strictObject({ stream: streamNameSchema, from: z.int().min(0), to: z.int().min(0) }),
  'terminal.changed': terminalViewSchema,
} as const;
export type TerminalFrameName = keyof typeof TERMINAL_FRAMES;
export type TerminalFrame = {
  [N in TerminalFrameName]: { frame: N; data: z.infer<(typeof TERMINAL_FRAMES)[N]> };
}[TerminalFrameName];
