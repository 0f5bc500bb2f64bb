/**
 * The done marker is a word between an engine and tacho. It stays in the record; people read the text without it. An
 * object that holds nothing else goes with the code fence or backticks around it, of any other object only the one member is left out.
 */
export interface DoneMarkerFilter {
  /** The text that can be shown by now. What may turn out to be a marker is held back. */
  push(text: string): string;
  /** No more comes: the rest. */
  end(): string;
}

/**
 * Stand for what was left out until the text is shown, so that the parts around it are not taken for one: `MEMBER` for a
 * first member, after which the object still begins, `OTHER` for the rest. Unicode reserves them for internal use.
 */
const MEMBER = '\uFDD0';
const OTHER = '\uFDD1';
const LEFT_OUT = new RegExp(`[${MEMBER}${OTHER}]`, 'g');

const SPACE = '\\s{0,40}';
const OPENING = ['\\{', `[\\s${MEMBER}]{0,40}`];
const PAIR = ['"', '_', '_', '(?:SKILL|skill)', '_', '(?:DONE|done)', '_', '_', '"', SPACE, ':', SPACE, 'true'];
const FENCE = ['(?:`{3}|~{3})', '\\w{0,10}', '[ \\t]{0,40}', '\\r?\\n', SPACE];
const OBJECT = [...OPENING, ...PAIR, SPACE];

const FENCED_ALONE = new RegExp(`${[...FENCE, ...OBJECT].join('')}\\}${SPACE}(?:\`{3}|~{3})`, 'g');
const CODED = `\`${OBJECT.join('')}\\}\``;
/** Before a further backtick, or what was left out after one, its own may be part of a fence. */
const CODED_ALONE = new RegExp(`${CODED}(?=[^\`${MEMBER}${OTHER}])`, 'g');
const CODED_LAST = new RegExp(`${CODED}$`);
const ALONE = new RegExp(`${OBJECT.join('')}\\}`, 'g');
const FIRST_MEMBER = new RegExp(`(${OPENING.join('')})${[...PAIR, SPACE].join('')},${SPACE}(?=\\S)`, 'g');
const LATER_MEMBER = new RegExp(`,${[SPACE, ...PAIR].join('')}(?=${SPACE}[,}])`, 'g');

/** The end of a text that could be the beginning of any of them. */
const BEGINNINGS = [
  beginning(['`{1,2}|~{1,2}']),
  beginning([...FENCE, ...lettersOf(OBJECT), '\\}', SPACE, '`{1,2}|~{1,2}']),
  beginning(['`', ...lettersOf(OBJECT), '\\}', '`']),
  beginning([...lettersOf(OBJECT), ',', SPACE]),
  beginning([',', SPACE, ...lettersOf(PAIR), SPACE]),
];

/** How a message of tacho to an engine names the marker. People read the message without it. */
export const MARKER_IN_WORDS = ' ("__SKILL_DONE__": true)';

export function withoutDoneMarker(text: string): string {
  if (!/__SKILL_DONE__|__skill_done__/.test(text)) return text;
  return shown(markAll(text));
}

/** Marks what no later text can change. An object alone is not among it: the fence around it may still be closed. */
function markCertain(text: string): string {
  let marked = text;
  for (let before = ''; before !== marked; ) {
    before = marked;
    marked = marked.replaceAll(FIRST_MEMBER, `$1${MEMBER}`);
  }
  return marked.replaceAll(CODED_ALONE, OTHER).replaceAll(LATER_MEMBER, OTHER).replaceAll(FENCED_ALONE, OTHER);
}

/** The same at the end of a text. */
function markAll(text: string): string {
  return markCertain(text).replace(CODED_LAST, OTHER);
}

function shown(marked: string): string {
  return marked.replaceAll(ALONE, '').replaceAll(LEFT_OUT, '');
}

export function createDoneMarkerFilter(): DoneMarkerFilter {
  let held = '';
  return {
    push(text) {
      const all = markCertain(held + text);
      const end = Math.min(...BEGINNINGS.map((pattern) => startOf(pattern, all)));
      held = all.slice(end);
      return shown(all.slice(0, end));
    },
    end() {
      const rest = shown(markAll(held));
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
