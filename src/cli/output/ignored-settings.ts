import { describeIgnored, type EnvFileKey, loadConfig } from '../../config/index.ts';
import type { RunRequest } from '../../protocol/index.ts';
import { paint } from './paint.ts';

const reported = new Set<string>();

/** Lists ignored workspace settings on stderr, once per process. Stdout is for the answer. */
export function warnOfIgnored(workspace: Parameters<typeof describeIgnored>[0]): void {
  const text = describeIgnored(workspace);
  if (text === null || reported.has(text)) return;
  reported.add(text);
  process.stderr.write(`${paint.yellow('tacho:')} ${text} ${paint.dim('[SETTINGS_UNTRUSTED]')}\n`);
}

/** The same for keys in the workspace's `.env` that this run's engine would use. */
export function warnOfIgnoredKeys({ settings = [] }: Pick<RunRequest, 'settings'>, keys: readonly EnvFileKey[]): void {
  const ignored = settings.filter(({ from }) => from === 'workspace_ignored').flatMap((place) => place.keys);
  const needsTrust = keys
    .filter(({ name }) => ignored.includes(name))
    .map(({ name, source }) => ({ path: name, value: null, source }));
  const [first] = keys;
  if (first !== undefined) warnOfIgnored({ trusted: false, folder: first.folder, needsTrust });
}

/** The same for a server of a workspace, which needs its settings only later. */
export function warnOfWorkspace(workspaceRoot: string): void {
  try {
    warnOfIgnored(loadConfig({ workspaceRoot, env: process.env }).workspace);
  } catch {
    // A command that needs a setting reports problems with the files.
  }
}
