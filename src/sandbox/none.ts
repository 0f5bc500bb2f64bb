import type { EnterSandbox } from './enter.ts';

/** No sandbox: the program is started as it is. For whoever decides that it may see everything. */
export const enterNone: EnterSandbox = () => Promise.resolve({ argv: [] });
