import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { SandboxProfile } from '../../../src/sandbox/index.ts';
import {
  type Command,
  type CommandOutcome,
  type CommandResult,
  type OpenCommandsOptions,
  openCommands,
} from '../../../src/tools/commands/index.ts';
import { projectRoot, removeFolder } from '../../support/tacho.ts';

/** A workspace and its commands. */
export interface OpenedForTest {
  workspace: string;
  /** A folder that contains the workspace. */
  around: string;
  outcome(argv: readonly string[], more?: Partial<Command>, signal?: AbortSignal): Promise<CommandOutcome>;
  /** Fails if the sandbox is impossible. */
  run(argv: readonly string[], more?: Partial<Command>, signal?: AbortSignal): Promise<CommandResult>;
  bash(script: string, more?: Partial<Command>): Promise<CommandResult>;
}

/** Not below /tmp, which is another folder in a sandbox, wherever this checkout is. */
export function folderOnDisk(): string {
  const own = path.join(projectRoot, '.setup');
  fs.mkdirSync(own, { recursive: true });
  const places = [...(own.startsWith('/tmp/') ? [] : [own]), '/opt', '/srv', os.homedir()];
  const parent = places.find(isWritable)!;
  return fs.realpathSync(fs.mkdtempSync(path.join(parent, 'sandbox-test-')));
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

export async function openForTest(
  profile: SandboxProfile,
  more: Partial<OpenCommandsOptions> = {},
): Promise<OpenedForTest> {
  const around = folderOnDisk();
  onTestFinished(() => removeFolder(around));
  const workspace = path.join(around, 'workspace');
  fs.mkdirSync(workspace);
  return { around, ...(await openIn(workspace, profile, more)) };
}

export async function openIn(
  workspace: string,
  profile: SandboxProfile,
  more: Partial<OpenCommandsOptions> = {},
): Promise<Omit<OpenedForTest, 'around'>> {
  const opened = await openCommands({ profile, workspaceRoot: workspace, ...more });
  if ('why' in opened) throw new Error(opened.why);
  const outcome: OpenedForTest['outcome'] = (argv, options = {}, signal = new AbortController().signal) => {
    const command = { argv, cwd: workspace, env: {}, timeoutMs: 240_000, maxOutputBytes: 1024 * 1024, ...options };
    return opened.commands.run(command, signal);
  };
  const run: OpenedForTest['run'] = async (...args) => {
    const result = await outcome(...args);
    if ('denied' in result) throw new Error(result.denied);
    return result;
  };
  return { workspace, outcome, run, bash: (script, options) => run(['bash', '-c', script], options) };
}
