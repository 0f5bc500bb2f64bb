import type { TerminalView } from '../../../src/protocol/index.ts';
import { showUnseen } from '../text/unseen.ts';

const LONGEST_TITLE = 200;

/** What a session is called: its name, or what it runs. */
export function titleOfTerminal({ name, kind, argv }: Pick<TerminalView, 'name' | 'kind' | 'argv'>): string {
  // How the runtime starts a shell is its own affair.
  const program = kind === 'shell' ? (argv[0] ?? kind) : argv.join(' ');
  return showUnseen(name ?? program).slice(0, LONGEST_TITLE) || kind;
}

/** The machine a session runs on, from its id; null for this one. */
export function targetOfTerminal({ session_id }: Pick<TerminalView, 'session_id'>): string | null {
  return /^((?:ssh|container):[\w.-]+):/.exec(session_id)?.[1] ?? null;
}

export function hasEnded({ state }: Pick<TerminalView, 'state'>): boolean {
  return state === 'terminated';
}

/**
 * The order of the list: those that live, then those that have ended, each as they were opened. What is new comes at the
 * end of its part, so that nothing moves under the pointer but what has ended.
 */
export function sortTerminals(terminals: readonly TerminalView[]): TerminalView[] {
  const key = (terminal: TerminalView) =>
    `${hasEnded(terminal) ? 1 : 0} ${terminal.created_at} ${terminal.terminal_id}`;
  return terminals.toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

/** Whether a session has all words in what the list shows of it. */
export function terminalHas(terminal: TerminalView, words: string): boolean {
  const { name, kind, state, argv, workspace, session_id } = terminal;
  const shown = [name ?? '', kind, state, ...argv, workspace, session_id].join(' ').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
}

/** The workspace of the session that was used last; empty where there is none. */
export function lastWorkspace(terminals: readonly TerminalView[]): string {
  const [last] = terminals.toSorted((one, other) => (one.active_at < other.active_at ? 1 : -1));
  return last?.workspace ?? '';
}

/** The last part of a path: enough to know it by, with the whole of it at hand. */
export function folderName(path: string): string {
  return showUnseen(path.split('/').filter(Boolean).at(-1) ?? path);
}
