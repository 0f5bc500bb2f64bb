export { applyEvent, foldEvents as foldRunState } from './apply-event.ts';
export { archivedNames, nameInRecord, pathInRun, runFoldersIn } from './archive-layout.ts';
export { byteTimes } from './byte-times.ts';
export { mergeChanges } from './changes/merge-changes.ts';
export {
  CHUNK_RECORD_BYTES,
  type Chunk,
  type ChunkSource,
  checkChunkHeader,
  chunkIndexHeader,
  decodeChunks,
  encodeChunk,
} from './chunk-index.ts';
export { type DiscShape, discShapes, discSvg, discTime } from './disc.ts';
export { type FileLine, linesOf, readText } from './file-pieces.ts';
export { linesAround } from './lines-around.ts';
export {
  addedHashes,
  consistencyProof,
  inclusionProof,
  isConsistent,
  isIncluded,
  keptHashes,
  leafHash,
  type ReadHash,
  rootOfLeaves,
  type Tree,
  treeRoot,
} from './merkle.ts';
export { foldBatch } from './output/fold-batch.ts';
export { type ByteSpan, MaskedRanges, maskedRangesOf } from './output/masked-ranges.ts';
export { readRawTexts, withWholeTexts } from './output/whole-texts.ts';
export { PTY_HEADER_MAX_BYTES, ptyHeaderLength } from './pty-header.ts';
export { type RecordFile, type RecordFiles, type SignatureVerdict, withFile } from './record-files.ts';
export { ruleText } from './rule-text.ts';
export {
  type ApprovalSpan,
  addEvent,
  addMessage,
  emptyModel,
  eventAt,
  foldEvents,
  isTerminal,
  isWaiting,
  lengthOf,
  openQuestion,
  type Question,
  type RunModel,
  seqAt,
  timeOf,
} from './run-model.ts';
export { parseRunRecord, readRunRecord, refuseNewer, unreadableRecord } from './run-record.ts';
export { firstRequest, runView } from './run-view.ts';
export { searchFile } from './search.ts';
export { plainSha256 } from './sha256.ts';
export { createTranscript } from './transcript/transcript.ts';
export type { LedgerView } from './verify/check-ledger.ts';
export { formatHead, parseHead, signedText } from './verify/ledger-head.ts';
export { checkHead } from './verify/ledger-proof.ts';
export { readSealedState } from './verify/sealed-state.ts';
export { checkSignature, readSeals, signedBytes } from './verify/seals.ts';
export { type Verification, verifyRecord } from './verify/verify.ts';
export { verifyChain } from './walk-chain.ts';
