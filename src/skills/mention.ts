import {
  mentionOf,
  SKILL_MENTION_SOURCE,
  SKILL_NAME_PATTERN,
  SKILL_NAME_RULE,
  SKILL_NAMESPACE_PATTERN,
  SKILL_NAMESPACE_RULE,
  TachoError,
} from '../protocol/index.ts';
import { quoted } from './quoted.ts';

/** The names of a skill. */
export interface SkillReference {
  namespace: string;
  name: string;
}

/** A mention in a text; `at` is its index. */
export interface SkillMention extends SkillReference {
  at: number;
}

/**
 * Characters after which a match is not a mention: a longer name is another name, and a closing bracket is most likely a
 * mention that was pasted into something else.
 */
const CONTINUES = /[\]A-Za-z0-9_-]/;
const WHOLE = new RegExp(`^${SKILL_MENTION_SOURCE}$`);

/**
 * The skills that a text mentions as `$[team:product].review`, each once, in the order of their first mentions. Free text
 * is read tolerantly: whatever is not a mention is text.
 */
export function findMentions(text: string): SkillMention[] {
  const found = new Map<string, SkillMention>();
  for (const match of text.matchAll(new RegExp(SKILL_MENTION_SOURCE, 'g'))) {
    const { 0: written, index, groups } = match;
    if (CONTINUES.test(text.charAt(index + written.length)) || found.has(written)) continue;
    found.set(written, { namespace: groups!.namespace!, name: groups!.name!, at: index });
  }
  return [...found.values()];
}

/** One mention as an argument, with nothing before or after it. Throws SKILL_MENTION_INVALID, which says what is wrong. */
export function parseMention(text: string): SkillReference {
  const match = WHOLE.exec(text);
  if (match) return { namespace: match.groups!.namespace!, name: match.groups!.name! };
  throw new TachoError('SKILL_MENTION_INVALID', `${quoted(text)} is not a mention of a skill: ${whatIsWrong(text)}`, {
    facts: { text: text.slice(0, 1000) },
    fix: `Write it as ${mentionOf({ namespace: 'team:product', name: 'review' })}, or as the name alone.`,
  });
}

function whatIsWrong(text: string): string {
  if (text.trim() !== text) return 'it has spaces before or after it';
  const parts = /^\$\[([^\]]*)\]\.(.*)$/s.exec(text);
  if (!parts) return 'it has to consist of $[, a namespace, ]. and a name';
  const [, namespace, name] = parts as unknown as [string, string, string];
  if (!SKILL_NAMESPACE_PATTERN.test(namespace)) return `a namespace has ${SKILL_NAMESPACE_RULE}`;
  return SKILL_NAME_PATTERN.test(name) ? 'something follows it' : `a name has ${SKILL_NAME_RULE}`;
}
