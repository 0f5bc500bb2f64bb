import { describeIgnored, loadConfig, type WorkspaceTrust } from '../../config/index.ts';
import { paint } from './paint.ts';

const told = new Set<string>();

/** Says on stderr, once for each process, which settings of the workspace do not count. Stdout is for the answer. */
export function warnOfIgnored(workspace: WorkspaceTrust): void {
  const text = describeIgnored(workspace);
  if (text === null || told.has(text)) return;
  told.add(text);
  process.stderr.write(`${paint.yellow('tacho:')} ${text} ${paint.dim('[SETTINGS_UNTRUSTED]')}\n`);
}

/** The same, for a server of a workspace, which needs its settings only later. */
export function warnOfWorkspace(workspaceRoot: string): void {
  try {
    warnOfIgnored(loadConfig({ workspaceRoot, env: process.env }).workspace);
  } catch {
    // What is wrong with the files is told to whoever needs a setting.
  }
}
