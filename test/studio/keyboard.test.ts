import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Action, KEYS, type Key, keyLabel, keyName } from '../../studio/keyboard.ts';
import { Actions } from '../../studio/state/key-actions.ts';

const studio = path.join(import.meta.dirname, '../../studio');
const table: readonly Key[] = KEYS;
/** A sequence of two keys is separated by a blank; the space bar is a blank itself. */
const inRow = (keys: string) => (keys === ' ' ? [' '] : keys.split(' '));

class Element {
  isContentEditable = false;
  readonly tagName: string;
  readonly #pane: string | null;
  constructor(tagName: string, pane: string | null = null) {
    this.tagName = tagName;
    this.#pane = pane;
  }
  closest(selector: string): unknown {
    if (selector === '[data-pane]') return this.#pane && { dataset: { pane: this.#pane } };
    return selector.split(', ').includes(this.tagName.toLowerCase()) ? this : null;
  }
}

/** A page for `Actions`: it only knows the focused element. */
function pageWith(activeElement = new Element('DIV')) {
  Object.assign(globalThis, { document: { activeElement }, HTMLElement: Element });
  onTestFinished(() => ['document', 'HTMLElement'].forEach((name) => void Reflect.deleteProperty(globalThis, name)));
  const actions = new Actions();
  const done: string[] = [];
  return {
    done,
    register(action: string, pane: string | null = null, handles = true) {
      const current = (key: string) => {
        done.push(`${action}${pane === null ? '' : ` in ${pane}`} ${key}`);
        return handles;
      };
      return actions.register({ action: action as Action, pane, handler: { current } });
    },
    /** Presses keys one after the other; returns whether the last one was handled. */
    press(keys: string, target = activeElement): boolean {
      let taken = false;
      for (const key of inRow(keys)) {
        taken = false;
        const event = { ...pressed(key), target, timeStamp: 1000 * done.length, preventDefault: () => (taken = true) };
        actions.onKey(event as unknown as KeyboardEvent);
      }
      return taken;
    },
  };
}

/** The browser event for a key as written in the table. */
function pressed(name: string) {
  const parts = name.split(/(?<=\w)\+(?=.)/);
  const key = parts.at(-1)!;
  const isUpper = key.length === 1 && key !== key.toLowerCase();
  return {
    key,
    ctrlKey: parts.includes('Ctrl'),
    altKey: parts.includes('Alt'),
    shiftKey: parts.includes('Shift') || isUpper,
    metaKey: false,
  };
}

describe('the table of keys', () => {
  test.each(table.flatMap(({ action, keys }) => keys.map((key) => [action, key])))('%s: %j', (action, key) => {
    for (const one of inRow(key!)) expect(keyName(pressed(one))).toBe(one);
    const page = pageWith();
    page.register(action!);
    expect(page.press(key!)).toBe(true);
    expect(page.done).toEqual([`${action} ${key}`]);
  });

  test('assigns no key to two actions', () => {
    const keys = table.flatMap((key) => key.keys);
    expect(keys).toHaveLength(new Set(keys).size);
  });

  test('names only actions that a page handles', () => {
    const sources = fs
      .readdirSync(studio, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => fs.readFileSync(path.join(studio, name), 'utf8'))
      .join('\n');
    const done = new Set(Array.from(sources.matchAll(/useAction\(\s*'([a-z-]+)'/g), ([, action]) => action));
    expect(table.map(({ action }) => action).filter((action) => !done.has(action))).toEqual([]);
  });

  test('describes every key with a unique text', () => {
    expect(table.filter(({ does }) => does.some((text) => text === '')).map(({ action }) => action)).toEqual([]);
    expect(['ArrowLeft', 'Shift+ArrowRight', ' ', 'Ctrl+Shift+Escape', '+', 'g g'].map(keyLabel)).toEqual([
      '←',
      'Shift+→',
      'space',
      'Ctrl+Shift+Esc',
      '+',
      'g g',
    ]);
  });

  test('treats the Command key like Ctrl', () => {
    expect(keyName({ ...pressed('g'), metaKey: true })).toBe('Ctrl+g');
  });
});

describe('keys', () => {
  test('go to the focused pane first, then to the latest ones, until one handles them', () => {
    const page = pageWith(new Element('DIV', 'events'));
    page.register('search');
    page.register('search', 'events', false);
    page.register('search', 'raw');
    const leave = page.register('search', null, false);
    expect(page.press('/')).toBe(true);
    expect(page.done).toEqual(['search in events /', 'search /', 'search /']);
    leave();
    page.done.length = 0;
    page.press('/');
    expect(page.done).toEqual(['search in events /', 'search /']);
  });

  test.each(table.map((key) => [key.action, key] as const))('%s while the user types', (action, key) => {
    const page = pageWith();
    page.register(action);
    expect(page.press(key.keys[0]!, new Element('TEXTAREA'))).toBe(key.typing === true);
  });

  test('that activate the focused element are left to it', () => {
    const page = pageWith();
    for (const action of ['play', 'open', 'send']) page.register(action);
    expect([page.press(' ', new Element('BUTTON')), page.press('Enter', new Element('A'))]).toEqual([false, false]);
    expect(page.press('Ctrl+Enter', new Element('BUTTON'))).toBe(true);
  });

  test('that are unhandled, unknown or part of an input composition do nothing', () => {
    const page = pageWith();
    page.register('help', null, false);
    expect([page.press('?'), page.press('F1'), page.press('q')]).toEqual([false, false, false]);
  });
});
