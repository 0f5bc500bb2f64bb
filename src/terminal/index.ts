export { drawScreen } from './draw-screen.ts';
export { decodeBytes, encodeBytes } from './encode-bytes.ts';
export { removeLeftGroups } from './limits/left-groups.ts';
export { probeLimits } from './limits/probe-limits.ts';
export { measureSession } from './limits/session-usage.ts';
export { endPiped, writePiped } from './piped-input.ts';
export { hasEnvironmentEntry, listProcesses } from './proc.ts';
export { endProcesses, endTree, MARKER_VARIABLE, members, type TreeIdentity } from './process-tree.ts';
export {
  RuntimeSessions,
  type RuntimeSessionsOptions,
  type SessionLedger,
} from './runtime-sessions.ts';
export { type Emulator, type OpenScreen, refuseLargeScreen, screenOf } from './screen.ts';
export { callSession, checkParams, isSessionMethod, type SessionMethod, type TakeOutput } from './session-calls.ts';
export type { OpenRecording, RecordedSession, SessionControl, SessionRecording } from './session-recording.ts';
export { Terminal, type TerminalEnd, type TerminalOptions, type TerminalSide } from './terminal.ts';
