/**
 * The done marker is a word between an engine and tacho. It stays in the record; people read the text without it. An
 * object that holds nothing else goes with its code fence, of any other object only the one member is left out.
 */
export interface DoneMarkerFilter {
  /** The text that can be shown by now. What may turn out to be a marker is held back. */
  push(text: string): string;
  /** No more comes: the rest. */
  end(): string;
}

const SPACE = '\\s{0,40}';
const PAIR = ['"', '_', '_', '(?:SKILL|skill)', '_', '(?:DONE|done)', '_', '_', '"', SPACE, ':', SPACE, 'true'];
const FENCE = ['(?:`{3}|~{3})', '\\w{0,10}', '[ \\t]{0,40}', '\\r?\\n', SPACE];
const OBJECT = ['\\{', SPACE, ...PAIR, SPACE];

const FENCED_ALONE = new RegExp(`${[...FENCE, ...OBJECT].join('')}\\}${SPACE}(?:\`{3}|~{3})`, 'g');
const ALONE = new RegExp(`${OBJECT.join('')}\\}`, 'g');
const FIRST_MEMBER = new RegExp(`(\\{${SPACE})${[...PAIR, SPACE].join('')},${SPACE}(?=\\S)`, 'g');
const LATER_MEMBER = new RegExp(`,${[SPACE, ...PAIR].join('')}(?=${SPACE}[,}])`, 'g');

/** The end of a text that could be the beginning of any of them. */
const BEGINNINGS = [
  beginning(['`{1,2}|~{1,2}']),
  beginning([...FENCE, ...lettersOf(OBJECT), '\\}', SPACE, '`{1,2}|~{1,2}']),
  beginning([...lettersOf(OBJECT), ',', SPACE]),
  beginning([',', SPACE, ...lettersOf(PAIR), SPACE]),
];

export function withoutDoneMarker(text: string): string {
  if (!/__SKILL_DONE__|__skill_done__/.test(text)) return text;
  return withoutCertain(text).replaceAll(ALONE, '');
}

/** What no later text can change. An object alone is not among it: the fence around it may still be closed. */
function withoutCertain(text: string): string {
  return text.replaceAll(FIRST_MEMBER, '$1').replaceAll(LATER_MEMBER, '').replaceAll(FENCED_ALONE, '');
}

export function createDoneMarkerFilter(): DoneMarkerFilter {
  let held = '';
  return {
    push(text) {
      const all = withoutCertain(held + text);
      const end = Math.min(...BEGINNINGS.map((pattern) => startOf(pattern, all)));
      held = all.slice(end);
      return all.slice(0, end).replaceAll(ALONE, '');
    },
    end() {
      const rest = withoutDoneMarker(held);
      held = '';
      return rest;
    },
  };
}

/** No beginning is longer than this. */
const LONGEST = 400;

function startOf(pattern: RegExp, text: string): number {
  const from = Math.max(0, text.length - LONGEST);
  const at = text.slice(from).search(pattern);
  return at < 0 ? text.length : from + at;
}

/** Matches the first of the parts, then as many more as there are, up to the end of the text. */
function beginning(parts: readonly string[]): RegExp {
  return new RegExp(`${parts.reduceRight((rest, part) => `(?:${part})${rest === '' ? '' : `(?:${rest})?`}`, '')}$`);
}

/** Words may come letter by letter. */
function lettersOf(parts: readonly string[]): string[] {
  return parts.flatMap((part) => {
    const words = part === 'true' ? ['true'] : (/^\(\?:(\w+)\|(\w+)\)$/.exec(part)?.slice(1) ?? null);
    if (!words) return [part];
    return Array.from(words[0]!, (_, at) => `[${words.map((word) => word[at]).join('')}]`);
  });
}
