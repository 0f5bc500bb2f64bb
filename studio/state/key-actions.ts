import { type Action, KEYS, type Key, keyName } from '../keyboard.ts';

/** Handles an action of a pane. Returning false means that it was not for this pane. */
export type Handler = (key: string) => unknown;

interface Registered {
  action: Action;
  /** Only while this pane has the focus. */
  pane: string | null;
  handler: { current: Handler };
}

/** How long the first of two keys in a row is remembered. */
const SEQUENCE_MS = 800;

/** Dispatches the keys of the page to registered handlers: the focused pane first, then the last one registered. */
export class Actions {
  readonly #registered: Registered[] = [];
  #before: { key: string; at: number } | null = null;
  /** The last focused pane: a click on an empty area does not disable its keys. */
  #pane: string | null = null;

  register(entry: Registered): () => void {
    this.#registered.push(entry);
    return () => this.#registered.splice(this.#registered.indexOf(entry), 1);
  }

  run(action: Action, key = ''): boolean {
    const of = (pane: string | null) =>
      this.#registered.filter((entry) => entry.action === action && entry.pane === pane).toReversed();
    const focused = this.#focusedPane();
    for (const { handler } of [...(focused === null ? [] : of(focused)), ...of(null)]) {
      if (handler.current(key) !== false) return true;
    }
    return false;
  }

  onKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing) return;
    const name = keyName(event);
    const inRow =
      this.#before && event.timeStamp - this.#before.at < SEQUENCE_MS ? `${this.#before.key} ${name}` : null;
    this.#before = { key: name, at: event.timeStamp };
    const typing = isTyping(event.target);
    for (const candidate of inRow === null ? [name] : [inRow, name]) {
      const key: Key | undefined = KEYS.find(({ keys }) => (keys as readonly string[]).includes(candidate));
      if (!key || (typing && !key.typing) || isOwnKey(event)) continue;
      if (!this.run(key.action as Action, candidate)) continue;
      event.preventDefault();
      this.#before = null;
      return;
    }
  };

  #focusedPane(): string | null {
    const pane = document.activeElement?.closest<HTMLElement>('[data-pane]')?.dataset.pane;
    this.#pane = pane ?? this.#pane;
    return this.#pane;
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Space and Enter without modifiers press the focused control, and are keys of the page only if there is none. */
function isOwnKey({ target, key, ctrlKey, metaKey }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLElement) || ctrlKey || metaKey) return false;
  if (key === ' ') return target.closest('button, summary, [role="tab"]') !== null;
  return key === 'Enter' && target.closest('button, a, summary, [role="tab"]') !== null;
}
