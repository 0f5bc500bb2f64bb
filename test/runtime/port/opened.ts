import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { openTerminals, type Terminals, type TerminalsOptions } from '../../../src/runtime/port/terminals.ts';
import type { ExecRequest, StdinRequest, TerminalOutput } from '../../../src/tools/index.ts';
import { command, type DaemonUnderTest, daemonOf } from '../../acceptance/runtime/daemon.ts';
import { removeFolder } from '../../support/tacho.ts';
import { folderOnDisk } from '../../tools/commands/opened.ts';

/** Ends earlier in every test that does not fail. */
const LONG_MS = 120_000;

/** A workspace with its daemon, which the first terminal starts. */
export interface OpenedTerminals {
  workspace: string;
  /** A folder that contains the workspace. */
  around: string;
  daemon: DaemonUnderTest;
  terminals: Terminals;
  /** The same as another process would open them. */
  again(options?: Partial<TerminalsOptions>): Terminals;
  /** Runs a command line until its end, or for `yieldMs`. */
  exec(line: string, more?: Partial<ExecRequest>, signal?: AbortSignal): Promise<TerminalOutput>;
  type(sessionId: string, text: string, more?: Partial<StdinRequest>, signal?: AbortSignal): Promise<TerminalOutput>;
}

export function openForTest(
  options: Partial<TerminalsOptions> = {},
  env: Record<string, string> = {},
  workspace = path.join(folderOnDisk(), 'workspace'),
): OpenedTerminals {
  fs.mkdirSync(workspace, { recursive: true });
  const around = path.dirname(workspace);
  onTestFinished(() => removeFolder(around));
  const daemon = daemonOf(workspace, env);
  const open = (more: Partial<TerminalsOptions> = {}) =>
    openTerminals({
      workspace,
      runId: 'run-1',
      sandbox: { profile: 'none', path: process.env.PATH },
      server: { command, environment: { ...process.env, ...env }, idleMs: 60_000 },
      ...options,
      ...more,
    });
  const terminals = open();
  return {
    workspace,
    around,
    daemon,
    terminals,
    again: open,
    exec: (line, more, signal = new AbortController().signal) =>
      terminals.execCommand(
        {
          callId: 'call',
          argv: ['bash', '-c', line],
          cwd: workspace,
          env: {},
          yieldMs: LONG_MS,
          maxOutputChars: 20_000,
          ...more,
        },
        signal,
      ),
    type: (sessionId, text, more, signal = new AbortController().signal) =>
      terminals.writeStdin(
        { callKey: randomUUID(), sessionId, text, yieldMs: LONG_MS, maxOutputChars: 20_000, ...more },
        signal,
      ),
  };
}

/** Reads until the output has the text: a program may print it in pieces. */
export async function untilShown(
  { type }: Pick<OpenedTerminals, 'type'>,
  sessionId: string,
  text: string,
  first = '',
): Promise<string> {
  let shown = first;
  while (!shown.includes(text)) {
    const { output, sessionId: id } = await type(sessionId, '', { yieldMs: 50 });
    shown += output;
    if (id === null && !shown.includes(text)) throw new Error(`ended without ${text}: ${shown}`);
  }
  return shown;
}
