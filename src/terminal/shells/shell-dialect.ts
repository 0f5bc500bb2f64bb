/**
 * What is said to the shell of a shell session, in its own words. It reads us as its script, from a pipe, so each command
 * runs in the shell itself and none of its children can see what comes next. The status goes back through a second pipe,
 * on a descriptor that only the shell has (closed on exec), with a nonce that is only sent after the command was.
 */
export interface ShellDialect {
  /** What follows the program's name. */
  words: readonly string[];
  /** One that no command uses, and that the shell can have a trap for. */
  interruptSignal: NodeJS.Signals | number;
  /** The first lines. The shell answers with the descriptors on which it tells statuses and has the input of commands. */
  setUp(nonces: { status: string; input: string }): string;
  runText(text: ShellText): string;
  /** Sends the nonce and the status of the text before. Nothing of it is seen, whatever `set -x` or a trap prints. */
  reportStatus(answer: Answer): string;
  /** After an interrupt: takes back what it had to change, and answers. */
  undoInterrupt(answer: Answer): string;
}

export interface ShellText {
  text: string;
  /** The path of the file it reads; null for the input of the session. */
  input: string | null;
  /** What `$?` is at its beginning: the status of the command before. */
  previousStatus: number;
}

export interface Answer {
  nonce: string;
  descriptor: number;
}

/** Descriptors that a shell is started with: its script, where it tells statuses, and the input of commands. */
export const SCRIPT_DESCRIPTOR = 3;
export const FIRST_STATUS_DESCRIPTOR = 4;
export const FIRST_INPUT_DESCRIPTOR = 5;

/** SIGRTMAX-3: nobody uses it, and it cannot be mistaken for a signal that means something to a command. */
export const REAL_TIME_SIGNAL = 61;

export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Runs `evaluate` with `$?` as it was left. As the last of a list: `set -e` acts on it, but not on what is before. */
export function withStatus(previousStatus: number, evaluate: string): string {
  return previousStatus === 0 ? evaluate : `(exit ${previousStatus}) || ${evaluate}`;
}

/** The redirection that gives a command its input. */
export function inputOf({ input }: ShellText): string {
  return input === null ? '' : ` <${input}`;
}
