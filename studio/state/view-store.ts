import { formatUrl, parseUrl } from '../model/url.ts';
import type { View } from '../model/view.ts';
import { Store } from './store.ts';

/** `push`: Back returns to the earlier view. `replace`: for continuous changes, such as scrubbing. */
export type Step = 'push' | 'replace';

/** Browsers limit URL changes to about a hundred in half a minute. */
const ADDRESS_MS = 400;

/** The view, kept in the URL of the page: a copied URL shows the same again. */
export class ViewStore extends Store<View> {
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor() {
    super(parseUrl(location.search));
    addEventListener('popstate', this.#read);
  }

  change(change: Partial<View>, step: Step = 'push'): void {
    const next = { ...this.get(), ...change };
    if (step === 'push') {
      this.#flush();
      if (addressOf(next) !== addressOf(this.get())) history.pushState(null, '', addressOf(next));
    } else this.#timer ??= setTimeout(this.#flush, ADDRESS_MS);
    this.set(next);
  }

  close(): void {
    this.#flush();
    removeEventListener('popstate', this.#read);
  }

  #flush = (): void => {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    history.replaceState(null, '', addressOf(this.get()));
  };

  #read = (): void => {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.set(parseUrl(location.search));
  };
}

function addressOf(view: View): string {
  return `${location.pathname}${formatUrl(view)}`;
}
