import type { PolicyRule } from '../../protocol/index.ts';
import { baseName, systemName } from '../shell/program-name.ts';
import type { ShellWord } from '../shell/word.ts';

/** Whether a rule applies to a simple command. */
export function matchesCommand(rule: PolicyRule, words: readonly ShellWord[]): boolean {
  if (!rule.command) return false;
  return rule.decision === 'allow' ? matchesExactly(rule.command, words) : matchesLoosely(rule.command, words);
}

type Prefix = NonNullable<PolicyRule['command']>;

/** To allow: the very first words, literally. */
function matchesExactly(prefix: Prefix, words: readonly ShellWord[]): boolean {
  if (words.length < prefix.length) return false;
  return prefix.every((token, index) => {
    const word = words[index]!;
    if (word.kind !== 'literal') return false;
    return is(token, index === 0 ? (systemName(word) ?? word.value) : word.value) || is(token, word.value);
  });
}

/**
 * To ask or deny: however the same is written. The program may be in any folder, options may be in any order and place,
 * together or apart, and options that the rule does not name may come in between.
 */
function matchesLoosely([program, ...rest]: Prefix, words: readonly ShellWord[]): boolean {
  const [first, ...args] = words;
  if (!is(program!, baseName(first)) && !is(program!, first?.value ?? '')) return false;
  const isOption = (token: Prefix[number]) =>
    (typeof token === 'string' ? [token] : token).every((text) => /^-./.test(text));
  const options = rest.filter(isOption);
  const names = rest.filter((token) => !isOption(token));
  const optionWords = args.filter(({ value }) => /^-./.test(value)).map(({ value }) => value);
  if (!options.every((token) => hasOption(token, optionWords))) return false;
  return hasNames(names, args);
}

function is(token: Prefix[number], text: string): boolean {
  return typeof token === 'string' ? token === text : token.includes(text);
}

function hasOption(token: Prefix[number], words: readonly string[]): boolean {
  return (typeof token === 'string' ? [token] : token).some((option) => {
    if (words.includes(option)) return true;
    // Programs take any beginning of a long option, and its value after an equals sign.
    if (option.startsWith('--')) {
      return words.some((word) => word.startsWith(`${option}=`) || (word.length > 3 && option.startsWith(word)));
    }
    const letters = words.filter((word) => !word.startsWith('--')).join('');
    return [...option.slice(1)].every(
      (letter) =>
        letters.includes(letter) || words.some((word) => LONG_NAMES[letter]?.startsWith(word) && word.length > 3),
    );
  });
}

/** What the letters mean where both forms are common. */
const LONG_NAMES: Readonly<Record<string, string>> = { r: '--recursive', R: '--recursive', f: '--force' };

/**
 * Whether the first words that are not options are these. A word after an option may be its value, and is skipped then:
 * `git -C folder push`.
 */
function hasNames(names: Prefix, args: readonly ShellWord[]): boolean {
  let found = 0;
  for (const [index, { value }] of args.entries()) {
    if (found === names.length) break;
    if (/^-./.test(value)) continue;
    if (is(names[found]!, value)) found++;
    else if (!/^-[^=]+$/.test(args[index - 1]?.value ?? '')) return false;
  }
  return found === names.length;
}
