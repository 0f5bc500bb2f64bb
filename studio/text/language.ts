import { Store, useStore } from '../state/store.ts';

export type Language = 'en' | 'zh';
const KEY = 'tacho.language';

const language = new Store<Language>(firstLanguage());
apply(language.get());

/** The text of a pair in the language of the page. */
export function say<T>(pair: readonly [T, T]): T {
  return pair[language.get() === 'zh' ? 1 : 0];
}

/** The same for components, which rerender when the language changes. */
export function useText(): typeof say {
  useStore(language);
  return say;
}

export function useLanguage(): Language {
  return useStore(language);
}

export function chooseLanguage(chosen: Language): void {
  localStorage.setItem(KEY, chosen);
  apply(chosen);
  language.set(chosen);
}

function firstLanguage(): Language {
  const kept = localStorage.getItem(KEY);
  if (kept === 'en' || kept === 'zh') return kept;
  return navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
}

function apply(chosen: Language): void {
  document.documentElement.lang = chosen === 'zh' ? 'zh-CN' : 'en';
}
