import {
  FIRST_INPUT_DESCRIPTOR,
  FIRST_STATUS_DESCRIPTOR,
  inputOf,
  quote,
  SCRIPT_DESCRIPTOR,
  type ShellDialect,
  withStatus,
} from './shell-dialect.ts';

/** zsh has no real-time signals. This one reports a power failure, and is not normally sent to a shell. */
const SIGNAL = 'PWR';
const DISARM = `\\builtin trap : ${SIGNAL}`;

/**
 * A trap function that fails makes zsh abandon whatever it runs. Only once, because outside of a command that would end
 * the shell. `set -e` would then act on the status.
 *
 * It fails as if by an interrupt: zsh forgets an ordinary error that occurs while it starts a builtin, and then leaves
 * only the current function.
 */
const ARM = [
  `TRAP${SIGNAL}() { ${DISARM}`,
  "[[ -o errexit ]] && { __tacho_undo='setopt errexit'; \\builtin unsetopt errexit; }",
  '{ return 1; } always { TRY_BLOCK_INTERRUPT=1; }; }',
].join('; ');

export const zsh: ShellDialect = {
  // Without the user's startup files.
  words: ['-f', `/dev/fd/${SCRIPT_DESCRIPTOR}`],
  interruptSignal: `SIG${SIGNAL}`,

  setUp(nonces) {
    return [
      DISARM,
      // A redirection would create a descriptor that is not closed on exec.
      `zmodload zsh/system && sysopen -w -o cloexec -u __tacho_fd /dev/fd/${FIRST_STATUS_DESCRIPTOR} || exit 125`,
      `sysopen -r -o cloexec -u __tacho_input /proc/self/fd/${FIRST_INPUT_DESCRIPTOR} || exit 125`,
      `exec ${FIRST_STATUS_DESCRIPTOR}>&- ${FIRST_INPUT_DESCRIPTOR}<&- ${SCRIPT_DESCRIPTOR}<&-`,
      `printf '%s %s\\n' ${nonces.status} $__tacho_fd ${nonces.input} $__tacho_input >&$__tacho_fd`,
      'unset __tacho_fd __tacho_input; 0=zsh',
      '',
    ].join('\n');
  },

  /** The part after `always` runs however the text ended, and lets the shell continue. */
  runText(text) {
    const evaluate = withStatus(text.previousStatus, `\\builtin eval ${quote(text.text)}${inputOf(text)}`);
    const armed = `{ ${ARM}; ${evaluate}; } always { { ${DISARM}; } 2>/dev/null; }`;
    // Twice: the interrupt may arrive when the text has just ended.
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
