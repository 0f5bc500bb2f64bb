/**
 * The lines that are sent to the shell of a shell session, in its dialect. The shell reads them as its script, from a
 * pipe, so each command runs in the shell itself and no child can see the next one. The status comes back through a
 * second pipe, on a descriptor that only the shell has (closed on exec), with a nonce that is sent only after the
 * command.
 */
export interface ShellDialect {
  /** The arguments after the program's name. */
  words: readonly string[];
  /** A signal that no command uses, and that the shell can trap. */
  interruptSignal: NodeJS.Signals | number;
  /** The first lines. The shell responds with its descriptors for statuses and for the input of commands. */
  setUp(nonces: { status: string; input: string }): string;
  runText(text: ShellText): string;
  /** Sends the nonce and the status of the text before. It is invisible, even with `set -x` or a trap that prints. */
  reportStatus(answer: Answer): string;
  /** After an interrupt: reverts its changes, and responds. */
  undoInterrupt(answer: Answer): string;
}

export interface ShellText {
  text: string;
  /** The path of its input file; null for the input of the session. */
  input: string | null;
  /** Value of `$?` at its beginning: the status of the command before. */
  previousStatus: number;
}

export interface Answer {
  nonce: string;
  descriptor: number;
}

/** Initial descriptors of a shell: its script, its status pipe, and the input of commands. */
export const SCRIPT_DESCRIPTOR = 3;
export const FIRST_STATUS_DESCRIPTOR = 4;
export const FIRST_INPUT_DESCRIPTOR = 5;
/** How many these are. */
export const SHELL_DESCRIPTORS = 3;

/** SIGRTMAX-3: unused, and without a meaning for commands. */
export const REAL_TIME_SIGNAL = 61;

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Runs `evaluate` with the previous `$?`. As the last of a list: `set -e` acts on it, but not on the parts before. */
export function withStatus(previousStatus: number, evaluate: string): string {
  return previousStatus === 0 ? evaluate : `(exit ${previousStatus}) || ${evaluate}`;
}

/** The redirection for the input of a command. */
export function inputOf({ input }: ShellText): string {
  return input === null ? '' : ` <${input}`;
}
