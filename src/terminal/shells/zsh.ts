import {
  FIRST_INPUT_DESCRIPTOR,
  FIRST_STATUS_DESCRIPTOR,
  inputOf,
  quote,
  SCRIPT_DESCRIPTOR,
  type ShellDialect,
  withStatus,
} from './shell-dialect.ts';

/** zsh knows no real-time signals. This one says that the power fails; nobody sends it to a shell. */
const SIGNAL = 'PWR';
const DISARM = `\\builtin trap : ${SIGNAL}`;

/**
 * A trap that is a function and fails makes zsh drop whatever it runs. Once, because outside of a command that would end
 * the shell. `set -e` would then act on the status.
 */
const ARM = [
  `TRAP${SIGNAL}() { ${DISARM}`,
  "[[ -o errexit ]] && { __tacho_undo='setopt errexit'; \\builtin unsetopt errexit; }",
  'return 1; }',
].join('; ');

export const zsh: ShellDialect = {
  // Without the files a user has for it.
  words: ['-f', `/dev/fd/${SCRIPT_DESCRIPTOR}`],
  interruptSignal: `SIG${SIGNAL}`,

  setUp(nonces) {
    return [
      DISARM,
      // A redirection would give a descriptor that is not closed on exec.
      `zmodload zsh/system && sysopen -w -o cloexec -u __tacho_fd /dev/fd/${FIRST_STATUS_DESCRIPTOR} || exit 125`,
      `sysopen -r -o cloexec -u __tacho_input /proc/self/fd/${FIRST_INPUT_DESCRIPTOR} || exit 125`,
      `exec ${FIRST_STATUS_DESCRIPTOR}>&- ${FIRST_INPUT_DESCRIPTOR}<&- ${SCRIPT_DESCRIPTOR}<&-`,
      `printf '%s %s\\n' ${nonces.status} $__tacho_fd ${nonces.input} $__tacho_input >&$__tacho_fd`,
      'unset __tacho_fd __tacho_input; 0=zsh',
      '',
    ].join('\n');
  },

  /** What comes after `always` is done however the text ended, and lets the shell go on. */
  runText(text) {
    const evaluate = withStatus(text.previousStatus, `\\builtin eval ${quote(text.text)}${inputOf(text)}`);
    const armed = `{ ${ARM}; ${evaluate}; } always { { ${DISARM}; } 2>/dev/null; }`;
    // Twice: the interrupt may come when the text has just ended.
    return `{ ${armed}; } always { { TRY_BLOCK_ERROR=0 TRY_BLOCK_INTERRUPT=0; } 2>/dev/null; }\n`;
  },

  reportStatus({ nonce, descriptor }) {
    return `{ \\builtin printf '%s %s\\n' ${nonce} "$?" >&${descriptor}; } >/dev/null 2>&1\n`;
  },

  undoInterrupt(answer) {
    const undo = `\\builtin eval "\${__tacho_undo-}"; \\builtin unset __tacho_undo`;
    return `{ ${undo}; } >/dev/null 2>&1\n${zsh.reportStatus(answer)}`;
  },
};
