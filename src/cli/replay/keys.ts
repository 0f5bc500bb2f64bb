import type { Command } from './player.ts';

const SEEK_MS = 5000;
const CTRL_C_EXIT = 130;
const QUIT: Command = { do: 'quit', exitCode: 0 };

const LETTERS: Readonly<Record<string, Command>> = {
  ' ': { do: 'pause' },
  '.': { do: 'step' },
  '?': { do: 'help' },
  '+': { do: 'speed', by: 2 },
  '=': { do: 'speed', by: 2 },
  '-': { do: 'speed', by: 0.5 },
  q: QUIT,
  Q: QUIT,
  '\u0003': { do: 'quit', exitCode: CTRL_C_EXIT },
};
const ARROWS: Readonly<Record<string, Command>> = {
  A: { do: 'speed', by: 2 },
  B: { do: 'speed', by: 0.5 },
  C: { do: 'seek', byMs: SEEK_MS },
  D: { do: 'seek', byMs: -SEEK_MS },
};

/**
 * One unit of terminal input: pasted text, a mouse event, a key sequence, a character. The recording may have enabled
 * any of them.
 */
const INPUT =
  /\x1b\[200~[\s\S]*?\x1b\[201~|\x1b\[M[\s\S]{3}|\x1b\[([\d;:<=>?]*)[ -/]*([@-~])|\x1bO([A-Za-z])|\x1b(?!\[|O|$)|\x1b{2,}|[^\x1b]/y;
const MAX_HELD = 64 * 1024;

/** Converts keys to commands. A sequence may be split between two reads. */
export function createKeyReader(): (keys: string) => Command[] {
  let held = '';
  return (keys) => {
    const text = held + keys;
    const commands: Command[] = [];
    let at = 0;
    for (INPUT.lastIndex = 0; ; at = INPUT.lastIndex) {
      const match = INPUT.exec(text);
      if (!match) break;
      const command = commandOf(match);
      if (command) commands.push(command);
    }
    const rest = text.slice(at);
    held = rest.length > MAX_HELD ? '' : rest;
    return commands;
  };
}

function commandOf([input, parameters, final, application]: RegExpExecArray): Command | undefined {
  if (application !== undefined) return ARROWS[application];
  if (final === undefined) return LETTERS[input];
  if (final in ARROWS) return ARROWS[final];
  // Keys with modifiers, in two protocols: code;modifiers u, and 27;modifiers;code ~.
  const [, code, modifiers] =
    (final === 'u' && /^(\d+)(?::[\d:]*)?(?:;(\d+)(?::1)?)?$/.exec(parameters!)) ||
    (final === '~' && swapped(/^27;(\d+);(\d+)$/.exec(parameters!))) ||
    [];
  if (code === undefined) return undefined;
  const character = String.fromCodePoint(Math.min(Number(code), 0x10ffff));
  const isControl = ((Number(modifiers ?? 1) - 1) & 4) !== 0;
  if (isControl) return character === 'c' ? LETTERS['\u0003'] : undefined;
  return LETTERS[character];
}

function swapped(match: RegExpExecArray | null): (string | undefined)[] | null {
  return match && [match[0], match[2], match[1]];
}
