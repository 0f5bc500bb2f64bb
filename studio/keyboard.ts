import { strings } from './text/strings.ts';

export type KeyGroup = 'time' | 'rows' | 'selection' | 'decisions' | 'page';

/** One key of the page: tooltips, the help and the bindings are made from this table. */
export interface Key {
  action: string;
  /** Its group in the help. */
  group: KeyGroup;
  /**
   * As `KeyboardEvent.key`, with `Ctrl+`, `Alt+` and `Shift+` prefixes if required; two keys in a row separated by a
   * space.
   */
  keys: readonly string[];
  does: readonly [string, string];
  /** Handled by the pane that has the focus. */
  focused?: boolean;
  /** Also while typing, for example in the reply box. */
  typing?: boolean;
}

const does = strings.keyboard;

export const KEYS = [
  { action: 'play', group: 'time', keys: [' '], does: does.play },
  { action: 'back', group: 'time', keys: ['ArrowLeft'], does: does.back },
  { action: 'on', group: 'time', keys: ['ArrowRight'], does: does.on },
  { action: 'far-back', group: 'time', keys: ['Shift+ArrowLeft'], does: does.farBack },
  { action: 'far-on', group: 'time', keys: ['Shift+ArrowRight'], does: does.farOn },
  { action: 'previous-frame', group: 'time', keys: [','], does: does.previousFrame },
  { action: 'next-frame', group: 'time', keys: ['.'], does: does.nextFrame },
  { action: 'previous-mark', group: 'time', keys: ['['], does: does.previousMark },
  { action: 'next-mark', group: 'time', keys: [']'], does: does.nextMark },
  { action: 'to-tenth', group: 'time', keys: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], does: does.toTenth },
  { action: 'live', group: 'time', keys: ['L'], does: does.live },
  { action: 'slower', group: 'time', keys: ['<'], does: does.slower },
  { action: 'faster', group: 'time', keys: ['>'], does: does.faster },
  { action: 'clear-window', group: 'time', keys: ['z'], does: does.clearWindow },
  { action: 'search', group: 'rows', keys: ['/'], does: does.search, focused: true },
  { action: 'go-to', group: 'selection', keys: ['Ctrl+g'], does: does.goTo },
  {
    action: 'tab',
    group: 'page',
    keys: ['Alt+1', 'Alt+2', 'Alt+3', 'Alt+4', 'Alt+5', 'Alt+6'],
    does: does.tab,
  },
  { action: 'next-pane', group: 'page', keys: ['F6'], does: does.nextPane, typing: true },
  { action: 'previous-pane', group: 'page', keys: ['Shift+F6'], does: does.previousPane, typing: true },
  { action: 'maximize', group: 'page', keys: ['m'], does: does.maximize },
  { action: 'next-row', group: 'rows', keys: ['j'], does: does.nextRow, focused: true },
  { action: 'previous-row', group: 'rows', keys: ['k'], does: does.previousRow, focused: true },
  { action: 'next-turn', group: 'rows', keys: ['J'], does: does.nextTurn },
  { action: 'previous-turn', group: 'rows', keys: ['K'], does: does.previousTurn },
  { action: 'first', group: 'rows', keys: ['g g'], does: does.first, focused: true },
  { action: 'last', group: 'rows', keys: ['G'], does: does.last, focused: true },
  { action: 'open', group: 'rows', keys: ['Enter'], does: does.open, focused: true },
  { action: 'raw', group: 'selection', keys: ['r'], does: does.raw },
  { action: 'event', group: 'selection', keys: ['e'], does: does.event },
  { action: 'conversation', group: 'selection', keys: ['c'], does: does.conversation },
  { action: 'graph', group: 'selection', keys: ['x'], does: does.graph },
  { action: 'next-diagnostic', group: 'selection', keys: ['d'], does: does.nextDiagnostic },
  { action: 'diagnostics', group: 'selection', keys: ['D'], does: does.diagnostics },
  { action: 'dock', group: 'decisions', keys: ['a'], does: does.dock },
  { action: 'send', group: 'decisions', keys: ['Ctrl+Enter'], does: does.send, focused: true, typing: true },
  { action: 'deny', group: 'decisions', keys: ['Ctrl+Shift+Backspace'], does: does.deny, focused: true, typing: true },
  { action: 'next-match', group: 'rows', keys: ['n'], does: does.nextMatch, focused: true },
  { action: 'previous-match', group: 'rows', keys: ['N', 'p'], does: does.previousMatch, focused: true },
  { action: 'stdin', group: 'time', keys: ['i'], does: does.stdin },
  { action: 'type', group: 'page', keys: ['Ctrl+Shift+Enter'], does: does.type },
  { action: 'stop-typing', group: 'page', keys: ['Ctrl+Shift+Escape'], does: does.stopTyping, typing: true },
  { action: 'copy-link', group: 'selection', keys: ['y'], does: does.copyLink },
  { action: 'help', group: 'page', keys: ['?'], does: does.help },
  { action: 'escape', group: 'page', keys: ['Escape'], does: does.escape, typing: true },
] as const satisfies readonly Key[];

export type Action = (typeof KEYS)[number]['action'];

/**
 * The name of a pressed key in the notation of the table. A shifted character is its own name; `Shift+` is for other
 * keys.
 */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>): string {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
  const shifted = shiftKey && (key.length > 1 || ctrlKey || altKey);
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shifted ? 'Shift+' : ''}${key}`;
}

/** For display in a tooltip or the help. */
export function keyLabel(key: string): string {
  const names: Record<string, string> = {
    ' ': 'space',
    ArrowLeft: '←',
    ArrowRight: '→',
    Escape: 'Esc',
  };
  return key
    .split(/(?<=\w)\+(?=.)/)
    .map((part) => names[part] ?? part)
    .join('+');
}

export function keysOf(action: Action): readonly string[] {
  return KEYS.find((key) => key.action === action)!.keys;
}
