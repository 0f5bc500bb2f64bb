export { drawScreen } from './draw-screen.ts';
export { endPiped, writePiped } from './piped-input.ts';
export { endTree, MARKER_VARIABLE, members, type TreeIdentity } from './process-tree.ts';
export { RuntimeError } from './runtime-error.ts';
export { type BegunCommand, RuntimeSessions, type RuntimeSessionsOptions } from './runtime-sessions.ts';
export { type Emulator, type OpenScreen, type Screen, screenOf } from './screen.ts';
export type { Session } from './session.ts';
export { callSession, isSessionMethod, type SessionMethod, type TakeOutput } from './session-calls.ts';
export { Terminal, type TerminalEnd, type TerminalSide } from './terminal.ts';
