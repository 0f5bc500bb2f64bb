import type { forEachChild, parse } from 'unbash';
import { TachoError } from '../../protocol/index.ts';

export interface ShellGrammar {
  parse: typeof parse;
  forEachChild: typeof forEachChild;
}

let loaded: ShellGrammar | null = null;

/** Loads the shell grammar, which is large, once. */
export async function loadShellGrammar(): Promise<void> {
  loaded ??= await import('unbash');
}

export function shellGrammar(): ShellGrammar {
  if (!loaded) throw new TachoError('INTERNAL', 'the shell grammar is not loaded; await loadShellGrammar() first');
  return loaded;
}
