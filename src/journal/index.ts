export { genesisChain, nodeSha256 } from './chain.ts';
export type { EventFormat } from './event-json.ts';
export { createFileJournal, type FileJournalOptions } from './file/file-journal.ts';
export { isLocked } from './file/lock.ts';
export type { FsyncMode } from './file/sync-policy.ts';
export { fullLines } from './full-lines.ts';
export type * from './journal.ts';
