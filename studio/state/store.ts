import { useSyncExternalStore } from 'react';

/** A value outside of React, so that code that draws directly can watch it without rendering. */
export class Store<T> {
  #value: T;
  readonly #watchers = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get = (): T => this.#value;

  set(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    for (const watcher of [...this.#watchers]) watcher();
  }

  update(change: Partial<T>): void {
    this.set({ ...this.#value, ...change });
  }

  subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };
}

/**
 * Rerenders when the value changes; with `pick`, only when the picked part does. `pick` must not create new objects.
 */
export function useStore<T, P = T>(store: Store<T>, pick: (value: T) => P = (value) => value as unknown as P): P {
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}
