import {
  FIRST_INPUT_DESCRIPTOR,
  FIRST_STATUS_DESCRIPTOR,
  inputOf,
  quote,
  REAL_TIME_SIGNAL,
  SCRIPT_DESCRIPTOR,
  type ShellDialect,
  withStatus,
} from './shell-dialect.ts';

/**
 * High numbers, so that a command may use `exec 3>file`. While a command runs they are saved: bash keeps them on its
 * own descriptors, closed on exec.
 */
const STATUS_DESCRIPTOR = 62;
const INPUT_DESCRIPTOR = 61;
const PUT_AWAY = `${STATUS_DESCRIPTOR}>&- ${INPUT_DESCRIPTOR}<&-`;

/**
 * Commands that restore the state. The last line is a comment: without it, the subshell that prints them was ended
 * together with the command, and they are incomplete.
 */
const PRINT_STATE = "\\builtin shopt -po monitor || :; \\builtin trap -p INT; \\builtin echo '#'";
const IS_KEPT = `[[ \${__tacho_undo-} == *'#' ]]`;

/**
 * Makes bash abandon whatever it runs, including loops and functions, and read its next line. A shell without a
 * terminal offers one way: while it has a trap for SIGINT and is in a loop, a job under job control is killed by
 * SIGINT. Every process that it starts here may be ended as one of the command; then it starts another one, also with
 * `set -e`.
 */
const INTERRUPT = [
  `until ${IS_KEPT}; do __tacho_undo="$(${PRINT_STATE})" || :; done`,
  '\\builtin trap : INT',
  '\\builtin set -o monitor',
  // A program, not a subshell: bash would not notice that a subshell died of the signal.
  "while :; do /bin/sh -c 'kill -INT $$' || :; done",
].join('; ');
const UNDO_INTERRUPT = `${IS_KEPT} && { \\builtin trap - INT; \\builtin eval "$__tacho_undo"; }; \\builtin unset __tacho_undo`;

export const bash: ShellDialect = {
  words: ['--noprofile', '--norc', `/dev/fd/${SCRIPT_DESCRIPTOR}`],
  interruptSignal: REAL_TIME_SIGNAL,

  setUp(nonces) {
    return [
      `exec ${STATUS_DESCRIPTOR}>&${FIRST_STATUS_DESCRIPTOR} ${FIRST_STATUS_DESCRIPTOR}>&- ${SCRIPT_DESCRIPTOR}<&-`,
      `exec ${INPUT_DESCRIPTOR}<&${FIRST_INPUT_DESCRIPTOR} ${FIRST_INPUT_DESCRIPTOR}<&-`,
      'BASH_ARGV0=bash',
      `trap ${quote(INTERRUPT)} ${REAL_TIME_SIGNAL}`,
      `printf '%s %s\\n' ${nonces.status} ${STATUS_DESCRIPTOR} ${nonces.input} ${INPUT_DESCRIPTOR} >&${STATUS_DESCRIPTOR}`,
      '',
    ].join('\n');
  },

  runText(text) {
    // As `sh`, bash would exit at a syntax error in an `eval` without `command`.
    const evaluate = `\\builtin command eval -- ${quote(text.text)}${inputOf(text)} ${PUT_AWAY}`;
    return `${withStatus(text.previousStatus, evaluate)}\n`;
  },

  /** The empty line is required: after a syntax error bash takes the first word of the next line for an argument. */
  reportStatus({ nonce, descriptor }) {
    return `\n{ \\builtin printf '%s %s\\n' ${nonce} "$?" >&${descriptor}; } >/dev/null 2>&1\n`;
  },

  /** The first line absorbs a signal that came too late for the command, the second one cleans up. */
  undoInterrupt(answer) {
    return `:\n{ ${UNDO_INTERRUPT}; } >/dev/null 2>&1${bash.reportStatus(answer)}`;
  },
};
