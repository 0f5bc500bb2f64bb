export type { OpenTerminal } from '../record/screen/screen-text.ts';
export { asciicast } from './asciicast.ts';
export { AttemptFile, appendAll, createAttemptFile, putBackWhole, writeWhole } from './attempt-file.ts';
export { lastChunk, readChunks } from './chunk-file.ts';
export { type Clock, startClock, timestamp } from './clock.ts';
export { type Digest, digestOf, hashFile } from './file-hash.ts';
export { folderFiles, openRecordFile, verifyRun } from './folder-files.ts';
export { type GitContents, openGitContents } from './git/git-contents.ts';
export { findRepository } from './git/repository.ts';
export { HeldFolders } from './held-folders.ts';
export { keepContent } from './keep-content.ts';
export { type Inexpressible, type PatchPlan, planPatch } from './patch/plan-patch.ts';
export { quoteName } from './patch/quote-name.ts';
export { type PatchPart, writePatch } from './patch/write-patch.ts';
export { type Moment, playback, readPtyHeader } from './playback.ts';
export { hasBareLineFeeds, recordedText } from './recorded-text.ts';
export { Recorder } from './recorder.ts';
export {
  createRunFolder,
  findRun,
  handleOf,
  listRunIds,
  nextAttempt,
  type RunFolder,
  readRunRecord,
  readShownRecord,
  runFolderAt,
  writeRunRecord,
} from './run-folder.ts';
export { type SealRequest, sealAttempt, sealText } from './seal.ts';
export { loadSealKey, type SealKey } from './seal-key.ts';
export { storeBlobs } from './snapshot/blobs.ts';
export { type ContentCache, openContentCache, pruneContentCache } from './snapshot/content-cache.ts';
export { diffFs } from './snapshot/fs-diff.ts';
export { compileGlob } from './snapshot/ignore/glob.ts';
export type { SnapshotLimits } from './snapshot/limits.ts';
export { textOfName } from './snapshot/name-bytes.ts';
export { loadPreviousSnapshot, savePreviousSnapshot } from './snapshot/previous-snapshot.ts';
export { type Snapshot, snapshotFs } from './snapshot/snapshot.ts';
export { readSnapshot, writeDiff, writeSnapshot } from './snapshot/snapshot-file.ts';
export { ptyHeaderBytes, ptyOutputHeader, type TimingHeader } from './timing.ts';
export { probeStrace } from './trace/probe-strace.ts';
export { reconstructStreams } from './trace/reconstruct-streams.ts';
export { TraceSession } from './trace/trace-session.ts';
export { zipRun } from './zip-run.ts';
