import type { PolicyVerdict } from '../../protocol/index.ts';
import type { SpecPart, SpecText } from '../../tools/index.ts';
import { type SourceSpec, unacceptedParts } from '../state/source-specs.ts';

const MAX_SHOWN = 300;
/** How much of what is the same stands before the first difference. */
const LEAD = 40;

/**
 * A tool of a server that is not what was accepted is asked about, whatever rules and earlier approvals say: they were
 * about another tool.
 */
export function askAgain(verdict: PolicyVerdict, known: SourceSpec | undefined, now: SpecText): PolicyVerdict {
  const parts = known ? unacceptedParts(known, now) : [];
  if (parts.length === 0 || verdict.decision === 'deny') return verdict;
  const what = describe(parts, known!, now);
  if (verdict.decision === 'ask') return { ...verdict, reason: `${verdict.reason}; ${what}` };
  return { decision: 'ask', reason: what, rule: null, suggested_rule: null };
}

function describe(parts: readonly SpecPart[], { given, accepted, unaccepted }: SourceSpec, now: SpecText): string {
  const before = accepted ?? given;
  const changes = parts.map((part) => {
    // Of what was accepted in another run only the digest is known.
    const [was, is] = unaccepted.includes(part) ? [null, textOf(now, part)] : [textOf(before, part), textOf(now, part)];
    if (was === null) return `${part}: now ${shown(is, 0)}`;
    const from = Math.max(0, firstDifference(was, is) - LEAD);
    return `${part}: was ${shown(was, from)}, now ${shown(is, from)}`;
  });
  return `the ${parts.join(' and ')} of this tool changed since it was last accepted (${changes.join('; ')})`;
}

function textOf(spec: SpecText, part: SpecPart): string {
  return part === 'description' ? spec.description : JSON.stringify(spec.parameters);
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

/** In quotes, so that nothing in it can be taken for a part of the sentence. */
function shown(text: string, from: number): string {
  const piece = text.slice(from, from + MAX_SHOWN);
  return `${from > 0 ? '…' : ''}${JSON.stringify(piece)}${from + MAX_SHOWN < text.length ? '…' : ''}`;
}
