export { bytesIn } from './bytes-in.ts';
export { createOnce } from './create-once.ts';
export { descriptorShortage } from './descriptor-shortage.ts';
export { errnoOf, isMachineTrouble, isOutOfDescriptors } from './errno.ts';
export { every, guard, type Repeated } from './every.ts';
export { beforeFatalExit, exitOnFatalError } from './fatal.ts';
export { findInside, isBelow } from './find-inside.ts';
export { type Flock, isFlocked, lockDescriptor, takeFlock, takeFolderFlock } from './flock.ts';
export { lastErrno, loadLibc } from './libc.ts';
export { descriptorPath, openBeneath } from './open-beneath.ts';
export { openUnlinked } from './open-unlinked.ts';
export { isContainedPeer } from './peer.ts';
export { pollUntil } from './poll-until.ts';
export { isRunning, type ProcessStat, readProcessStat } from './proc-stat.ts';
export { identityOf, isAlive, ownIdentity } from './process-identity.ts';
export { isNamed, openFolder, putBackFile, putBackFolder, setAside, type Touch } from './put-back.ts';
export { readAt } from './read-at.ts';
export {
  appendRegularFile,
  isRegularFile,
  openRegularFile,
  openRegularHandle,
  readRegularBytes,
  readRegularFile,
  streamRegularFile,
} from './regular-file.ts';
export { createSecretCheck, makeSecret } from './secret.ts';
export { watchFolder } from './watch-folder.ts';
export { temporaryName, writeWhole } from './write-whole.ts';
export { createYielder } from './yielder.ts';
