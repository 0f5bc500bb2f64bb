import type { Inspection } from './report.ts';
import type { ShellWord } from './word.ts';
import type { Unwrapped } from './wrappers.ts';

const LONG_FLAGS = new Set(['--login', '--norc', '--noprofile', '--posix', '--restricted', '--verbose']);
const MODES = /^(?:pipefail|errexit|nounset|xtrace|verbose|noglob|posix)$/;
const LETTERS = /^[abefhiklmnprtuvxBCDEHPT]$/;

/** The commands that a shell runs: those of -c, or of its input if that is text of the line. */
export function unwrapShell(words: readonly ShellWord[], { input }: Inspection): Unwrapped {
  const options = readShellOptions(words);
  if (!options) return { kind: 'unclear', reason: 'has options that are not understood' };
  const { next, takesText, takesInput } = options;
  const operand = words[next];
  if (takesText) {
    if (!operand) return { kind: 'plain' };
    if (operand.kind === 'literal') return { kind: 'line', line: operand.value };
    return { kind: 'unclear', reason: 'runs text that is not known before' };
  }
  if (operand && !takesInput) {
    // A script: whether it may run is a matter of rules.
    return operand.kind === 'literal'
      ? { kind: 'plain' }
      : { kind: 'unclear', reason: 'runs a script that is not known' };
  }
  switch (input.from) {
    case 'text':
      if (input.text !== null) return { kind: 'line', line: input.text };
      return { kind: 'unclear', reason: 'runs text that is not known before' };
    case 'terminal':
      return { kind: 'plain' };
    default:
      return { kind: 'unclear', reason: 'runs what it reads from its input' };
  }
}

function readShellOptions(
  words: readonly ShellWord[],
): { next: number; takesText: boolean; takesInput: boolean } | null {
  let takesText = false;
  let takesInput = false;
  let next = 1;
  for (; next < words.length; next++) {
    const { kind, value } = words[next]!;
    if (!/^[-+]/.test(value)) break;
    if (kind !== 'literal') return null;
    if (value === '--' || value === '-') {
      next++;
      break;
    }
    if (LONG_FLAGS.has(value)) continue;
    for (const letter of value.slice(1)) {
      if (letter === 'c') takesText = true;
      else if (letter === 's') takesInput = true;
      else if (letter === 'o' && MODES.test(words[next + 1]?.value ?? '')) next++;
      else if (!LETTERS.test(letter)) return null;
    }
  }
  return { next, takesText, takesInput };
}
