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
 * dash and busybox ash. They support only one-digit descriptors, and a command may use all ten. But a descriptor that a
 * redirection replaces is saved above those, closed on exec, until the redirected command ends. Here that command is
 * the whole script. A copy shows which saved descriptor it is; it is then written or read by its path.
 */
const STATUS_COPY = 6;
const INPUT_COPY = 7;
const SCRIPT = [
  `. /dev/fd/${SCRIPT_DESCRIPTOR}`,
  `${STATUS_COPY}>&${FIRST_STATUS_DESCRIPTOR} ${FIRST_STATUS_DESCRIPTOR}>&-`,
  `${INPUT_COPY}<&${FIRST_INPUT_DESCRIPTOR} ${FIRST_INPUT_DESCRIPTOR}<&-`,
].join(' ');

/**
 * Makes the shell abandon whatever it runs: an error ends everything up to the nearest `command`. Only once, because an
 * error outside of one would end the shell. And without `set -e`, which would act on the status.
 *
 * The shell does not notice that its trap has ended. So it treats `exit` without a number as one within a trap, and
 * returns the earlier status.
 */
const INTERRUPT = [
  `trap : ${REAL_TIME_SIGNAL}`,
  "case $- in *e*) __tacho_undo='set -e'; set +e;; esac",
  '. /dev/null/none 2>/dev/null',
].join('; ');

export const posix: ShellDialect = {
  words: ['-c', SCRIPT],
  interruptSignal: REAL_TIME_SIGNAL,

  setUp(nonces) {
    return [
      `trap : ${REAL_TIME_SIGNAL}`,
      ...findKept('__tacho_fd', STATUS_COPY),
      ...findKept('__tacho_input', INPUT_COPY),
      `printf '%s %s\\n' ${nonces.status} $__tacho_fd ${nonces.input} $__tacho_input >>/proc/self/fd/$__tacho_fd`,
      `unset __tacho_fd __tacho_input; exec ${STATUS_COPY}>&- ${INPUT_COPY}<&- ${SCRIPT_DESCRIPTOR}<&-`,
      '',
    ].join('\n');
  },

  /** Errors of syntax, of special builtins and of `set -u` end a POSIX shell; `command` limits that. */
  runText(text) {
    const evaluate = withStatus(text.previousStatus, `\\command eval ${quote(text.text)}${inputOf(text)}`);
    const arm = `{ trap ${quote(INTERRUPT)} ${REAL_TIME_SIGNAL}; } 2>/dev/null`;
    const disarm = `{ __tacho_status=$?; trap : ${REAL_TIME_SIGNAL}; } 2>/dev/null`;
    // In a separate `command`: the interrupt may arrive when the text has just ended.
    return `\\command eval ${quote(`${arm}; ${evaluate}; ${disarm}`)}\n`;
  },

  reportStatus({ nonce, descriptor }) {
    const report = `\\command printf '%s %s\\n' ${nonce} "\${__tacho_status-0}" >>/proc/self/fd/${descriptor}`;
    return `{ ${report}; unset __tacho_status; } >/dev/null 2>&1\n`;
  },

  undoInterrupt(answer) {
    return `{ eval "\${__tacho_undo-}"; unset __tacho_undo; } >/dev/null 2>&1\n${posix.reportStatus(answer)}`;
  },
};

/**
 * Lines that put the number of the saved descriptor into a variable. Without /proc it is not found, and the shell
 * exits.
 */
function findKept(variable: string, copy: number): string[] {
  return [
    `${variable}=10`,
    `until [ /proc/self/fd/$${variable} -ef /proc/self/fd/${copy} ]; do`,
    `  [ $${variable} -lt 99 ] || exit 125`,
    `  ${variable}=$((${variable} + 1))`,
    'done',
  ];
}
