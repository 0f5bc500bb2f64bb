export { createOnce } from './create-once.ts';
export { type Flock, isFlocked, lockDescriptor, takeFlock, takeFolderFlock } from './flock.ts';
export { lastErrno, loadLibc } from './libc.ts';
export { pollUntil } from './poll-until.ts';
export { isRunning, type ProcessStat, readProcessStat } from './proc-stat.ts';
export { identityOf, isAlive, ownIdentity } from './process-identity.ts';
export { readAt } from './read-at.ts';
export { temporaryName, writeWhole } from './write-whole.ts';
