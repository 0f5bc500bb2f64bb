export { endPiped, writePiped } from './piped-input.ts';
export { endTree, MARKER_VARIABLE, members, type TreeIdentity } from './process-tree.ts';
export { Terminal, type TerminalEnd, type TerminalSide } from './terminal.ts';
