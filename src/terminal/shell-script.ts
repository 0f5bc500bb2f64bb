/**
 * What is said to the bash of a shell session. It reads us as its script, from a pipe that it closes on exec itself, so
 * each command runs at the top level of the shell and none of its children can see what comes next. The status goes back
 * through a second pipe, which is put away while a command runs (bash keeps it meanwhile on a descriptor of its own, closed
 * on exec) and with a nonce that is only sent after the command was.
 */

/** Descriptors that the shell is started with, before it gives the second its place. */
export const SCRIPT_DESCRIPTOR = 3;
const FIRST_STATUS_DESCRIPTOR = 4;
/** High, so that a command may have its own `exec 3>file`. */
const STATUS_DESCRIPTOR = 62;

/** SIGRTMAX-3: nobody uses it, and it cannot be mistaken for a signal that means something to a command. */
export const INTERRUPT_SIGNAL = 61;

/**
 * Makes bash drop whatever it runs, loops, functions and all, and read its next line. A shell without a terminal knows one
 * way there: while it has a trap for SIGINT and is in a loop, a job under job control is killed by SIGINT.
 */
const INTERRUPT = [
  '[[ -v __tacho_undo ]] || __tacho_undo="$(builtin shopt -po monitor; builtin trap -p INT)"',
  'builtin trap : INT',
  'builtin set -o monitor',
  // A program, not a subshell: bash would not see that one die of the signal.
  "while :; do /bin/sh -c 'kill -INT $$'; done",
].join('; ');
const UNDO_INTERRUPT =
  '[[ -v __tacho_undo ]] && { builtin trap - INT; builtin eval "$__tacho_undo"; builtin unset __tacho_undo; }';

/** The first lines. */
export function setUpShell(): string {
  return [
    `exec ${STATUS_DESCRIPTOR}>&${FIRST_STATUS_DESCRIPTOR} ${FIRST_STATUS_DESCRIPTOR}>&- ${SCRIPT_DESCRIPTOR}<&-`,
    'BASH_ARGV0=bash',
    `trap ${quote(INTERRUPT)} ${INTERRUPT_SIGNAL}`,
    '',
  ].join('\n');
}

export interface ShellText {
  text: string;
  emptyInput: boolean;
  /** What `$?` is at its beginning: the status of the command before. */
  previousStatus: number;
}

export function runText({ text, emptyInput, previousStatus }: ShellText): string {
  const restored = previousStatus === 0 ? text : `(exit ${previousStatus})\n${text}`;
  return `builtin eval -- ${quote(restored)} ${STATUS_DESCRIPTOR}>&-${emptyInput ? ' </dev/null' : ''}\n`;
}

/**
 * Sends the nonce and `$?`. The empty line is needed: after a syntax error bash takes the first word of the next line for
 * an argument. A DEBUG trap's output and the lines of `set -x` go nowhere.
 */
export function reportStatus(nonce: string): string {
  return `\n{ builtin printf '%s %s\\n' ${nonce} "$?" >&${STATUS_DESCRIPTOR}; } >/dev/null 2>&1\n`;
}

/** After an interrupt: the first line is for a signal that came too late for the command, the second cleans up. */
export function undoInterrupt(nonce: string): string {
  return `:\n{ ${UNDO_INTERRUPT}; } >/dev/null 2>&1${reportStatus(nonce)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
