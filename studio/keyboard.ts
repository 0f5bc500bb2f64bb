import { strings } from './text/strings.ts';

/** One key of the page: tooltips, the help and the bindings are made from this table. */
export interface Key {
  action: string;
  /** As `KeyboardEvent.key`, with `Ctrl+`, `Alt+` and `Shift+` before it where they count; two keys in a row with a blank. */
  keys: readonly string[];
  does: readonly [string, string];
  /** Handled by the pane that has the focus. */
  focused?: boolean;
  /** Also while somebody types, as in the reply box. */
  typing?: boolean;
}

const does = strings.keyboard;

export const KEYS = [
  { action: 'play', keys: [' '], does: does.play },
  { action: 'back', keys: ['ArrowLeft'], does: does.back },
  { action: 'on', keys: ['ArrowRight'], does: does.on },
  { action: 'far-back', keys: ['Shift+ArrowLeft'], does: does.farBack },
  { action: 'far-on', keys: ['Shift+ArrowRight'], does: does.farOn },
  { action: 'previous-frame', keys: [','], does: does.previousFrame },
  { action: 'next-frame', keys: ['.'], does: does.nextFrame },
  { action: 'previous-mark', keys: ['['], does: does.previousMark },
  { action: 'next-mark', keys: [']'], does: does.nextMark },
  { action: 'to-tenth', keys: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], does: does.toTenth },
  { action: 'live', keys: ['L'], does: does.live },
  { action: 'slower', keys: ['<'], does: does.slower },
  { action: 'faster', keys: ['>'], does: does.faster },
  { action: 'clear-window', keys: ['z'], does: does.clearWindow },
  { action: 'search', keys: ['/'], does: does.search, focused: true },
  { action: 'go-to', keys: ['Ctrl+g'], does: does.goTo },
  {
    action: 'tab',
    keys: ['Alt+1', 'Alt+2', 'Alt+3', 'Alt+4', 'Alt+5', 'Alt+6'],
    does: does.tab,
  },
  { action: 'next-pane', keys: ['F6'], does: does.nextPane, typing: true },
  { action: 'previous-pane', keys: ['Shift+F6'], does: does.previousPane, typing: true },
  { action: 'maximize', keys: ['m'], does: does.maximize },
  { action: 'next-row', keys: ['j'], does: does.nextRow, focused: true },
  { action: 'previous-row', keys: ['k'], does: does.previousRow, focused: true },
  { action: 'next-turn', keys: ['J'], does: does.nextTurn },
  { action: 'previous-turn', keys: ['K'], does: does.previousTurn },
  { action: 'first', keys: ['g g'], does: does.first, focused: true },
  { action: 'last', keys: ['G'], does: does.last, focused: true },
  { action: 'open', keys: ['Enter'], does: does.open, focused: true },
  { action: 'raw', keys: ['r'], does: does.raw },
  { action: 'event', keys: ['e'], does: does.event },
  { action: 'conversation', keys: ['c'], does: does.conversation },
  { action: 'graph', keys: ['x'], does: does.graph },
  { action: 'next-diagnostic', keys: ['d'], does: does.nextDiagnostic },
  { action: 'diagnostics', keys: ['D'], does: does.diagnostics },
  { action: 'dock', keys: ['a'], does: does.dock },
  { action: 'send', keys: ['Ctrl+Enter'], does: does.send, focused: true, typing: true },
  { action: 'deny', keys: ['Ctrl+Shift+Backspace'], does: does.deny, focused: true, typing: true },
  { action: 'next-match', keys: ['n'], does: does.nextMatch, focused: true },
  { action: 'previous-match', keys: ['N', 'p'], does: does.previousMatch, focused: true },
  { action: 'stdin', keys: ['i'], does: does.stdin },
  { action: 'copy-link', keys: ['y'], does: does.copyLink },
  { action: 'help', keys: ['?'], does: does.help },
  { action: 'escape', keys: ['Escape'], does: does.escape, typing: true },
] as const satisfies readonly Key[];

export type Action = (typeof KEYS)[number]['action'];

/** The name of a pressed key as the table writes it. A shifted character is its own name; `Shift+` counts for other keys. */
export function keyName(event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'altKey' | 'shiftKey' | 'metaKey'>): string {
  const { key, ctrlKey, altKey, shiftKey, metaKey } = event;
  const shifted = shiftKey && (key.length > 1 || ctrlKey || altKey);
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shifted ? 'Shift+' : ''}${key}`;
}

/** As people read it: in a tooltip or the help. */
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
