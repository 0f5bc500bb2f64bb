export { decodeBytes, encodeBytes } from './encode-bytes.ts';
export { findSetsid } from './launch.ts';
export { availableLimits } from './limits/available-limits.ts';
export { removeLeftGroups } from './limits/left-groups.ts';
export { probeLimits } from './limits/probe-limits.ts';
export { measureSession } from './limits/session-usage.ts';
export { endPiped, writePiped } from './piped-input.ts';
export { listProcesses } from './processes/proc.ts';
export {
  carriesMark,
  endProcesses,
  endTree,
  MARKER_VARIABLE,
  members,
  type TreeIdentity,
} from './processes/process-tree.ts';
export { isInSession, leaveSession } from './processes/session-tag.ts';
export { drawScreen } from './screen/draw-screen.ts';
export { type Emulator, type OpenScreen, refuseLargeScreen, screenOf } from './screen/screen.ts';
export type { EnterSandbox } from './sessions/prepare-session.ts';
export {
  RuntimeSessions,
  type RuntimeSessionsOptions,
  type SessionDefaults,
  type SessionLedger,
} from './sessions/runtime-sessions.ts';
export {
  callSession,
  checkParams,
  isSessionMethod,
  type SessionMethod,
  type TakeOutput,
} from './sessions/session-calls.ts';
export type { OpenRecording, RecordedSession, SessionControl, SessionRecording } from './sessions/session-recording.ts';
export { Terminal, type TerminalEnd, type TerminalOptions, type TerminalSide } from './terminal.ts';
