import type { Redirection } from 'unbash';
import { inspectExpansions } from './expansions.ts';
import { ask, type CommandInput, type Inspection } from './report.ts';
import { kindOf, readWord, UNKNOWN_WORD } from './word.ts';

/** Returns the input if a redirection sets it. */
export function inspectRedirections(redirections: readonly Redirection[], inspection: Inspection): CommandInput | null {
  let input: CommandInput | null = null;
  for (const redirection of redirections) {
    inspectExpansions(redirection, inspection);
    const { descriptor } = redirection;
    if (descriptor?.type === 'FileDescriptorVariable') ask(inspection, 'sets a variable by a redirection');
    const isInput = descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0);
    if (redirection.type === 'HereDoc') {
      if (isInput) input = { from: 'text', text: literalBody(redirection) };
    } else if (redirection.type === 'HereString') {
      const word = redirection.target ? readWord(redirection.target) : UNKNOWN_WORD;
      if (isInput) input = { from: 'text', text: word.kind === 'literal' ? word.value : null };
    } else input = inspectRedirect(redirection, inspection, isInput) ?? input;
  }
  return input;
}

/** In a body with expansions a backslash may escape; such a body counts as unknown. */
function literalBody({ body, delimiter }: Extract<Redirection, { type: 'HereDoc' }>): string | null {
  if (delimiter?.quoted) return body.text;
  return kindOf(body.parts ?? []) === 'literal' && !body.text.includes('\\') ? body.text : null;
}

function inspectRedirect(
  { operator, target }: Extract<Redirection, { type: 'Redirect' }>,
  { report, folders }: Inspection,
  isInput: boolean,
): CommandInput | null {
  const word = target ? readWord(target) : UNKNOWN_WORD;
  const isDescriptor = operator === '>&' || operator === '<&';
  if (isDescriptor && word.kind === 'literal' && /^(?:\d+-?|-)$/.test(word.value)) return null;
  const access = operator === '<' || operator === '<&' ? 'read' : 'write';
  report.paths.push({ access, word, folders });
  return isInput && operator.startsWith('<') ? { from: 'file', text: null } : null;
}
