import type { TerminalView } from '../../../src/protocol/index.ts';
import { showUnseen } from '../text/unseen.ts';

const MAX_TITLE_LENGTH = 200;

/** The title of a session: its name, or its command. */
export function titleOfTerminal({ name, kind, argv }: Pick<TerminalView, 'name' | 'kind' | 'argv'>): string {
  // How the runtime starts a shell is an internal detail.
  const program = kind === 'shell' ? (argv[0] ?? kind) : argv.join(' ');
  return showUnseen(name ?? program).slice(0, MAX_TITLE_LENGTH) || kind;
}

/** The machine a session runs on, from its id; null for this one. */
export function targetOfTerminal({ session_id }: Pick<TerminalView, 'session_id'>): string | null {
  return /^((?:ssh|container):[\w.-]+):/.exec(session_id)?.[1] ?? null;
}

export function hasEnded({ state }: Pick<TerminalView, 'state'>): boolean {
  return state === 'terminated';
}

/**
 * The order of the list: live sessions, then ended ones, each by creation time. New ones are added at the end of their
 * part, so that only ended sessions move.
 */
export function sortTerminals(terminals: readonly TerminalView[]): TerminalView[] {
  const key = (terminal: TerminalView) =>
    `${hasEnded(terminal) ? 1 : 0} ${terminal.created_at} ${terminal.terminal_id}`;
  return terminals.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Whether a session contains all words in its list entry. */
export function terminalHas(terminal: TerminalView, words: string): boolean {
  const { name, kind, state, argv, workspace, session_id } = terminal;
  const shown = [name ?? '', kind, state, ...argv, workspace, session_id].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
}

/** The workspace of the most recently used session; empty if there is none. */
export function lastWorkspace(terminals: readonly TerminalView[]): string {
  const [last] = terminals.toSorted((one, other) => (one.active_at < other.active_at ? 1 : -1));
  return last?.workspace ?? '';
}

/** The last part of a path, for display with the full path available. */
export function folderName(path: string): string {
  return showUnseen(path.split('/').filter(Boolean).at(-1) ?? path);
}
