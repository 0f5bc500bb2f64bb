import { Store } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';
const KEY = 'tacho.theme';

export const theme = new Store<Theme>(keptTheme());

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(KEY, chosen);
  theme.set(chosen);
  applyTheme();
}

export function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (theme.get() === 'system') delete dataset.theme;
  else dataset.theme = theme.get();
}

/** Whether dark is shown, whoever chose it; for what is drawn without style sheets. */
export function isDark(): boolean {
  const chosen = theme.get();
  return chosen === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
}

function keptTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}
