import type { Function as FunctionNode, SyntaxNode } from 'unbash';
import { shellGrammar } from './grammar.ts';
import { DOWNLOADERS, runsItsInput } from './program-kinds.ts';
import { baseName } from './program-name.ts';
import { deny, type FoundCommand, type Inspection } from './report.ts';

const DOWNLOADED = 'runs code that was downloaded';

/**
 * Whether a later part of a pipeline runs what an earlier one downloads.
 * `starts`: index of the first command of each part.
 */
export function checkDownloads(starts: readonly number[], inspection: Inspection): void {
  const { commands } = inspection.report;
  let hasDownload = false;
  starts.forEach((start, index) => {
    const part = commands.slice(start, starts[index + 1]);
    if (hasDownload && part.some(({ words }) => runsItsInput(baseName(words[0])))) deny(inspection, DOWNLOADED);
    hasDownload ||= part.some(isDownload);
  });
}

/** The same for `bash -c "$(curl …)"` and `bash <(curl …)`. */
export function checkSubstitutedDownload(
  name: string,
  substitutions: readonly FoundCommand[],
  inspection: Inspection,
): void {
  if (runsItsInput(name) && substitutions.some(isDownload)) deny(inspection, DOWNLOADED);
}

function isDownload({ words }: FoundCommand): boolean {
  return DOWNLOADERS.has(baseName(words[0]));
}

/** A function that calls itself in a pipeline or in the background multiplies: a fork bomb. */
export function isSelfStarting({ name, body }: FunctionNode): boolean {
  const { forEachChild } = shellGrammar();
  let found = false;
  const visit = (node: SyntaxNode, apart: boolean): void => {
    if (node.type === 'Command' && apart && node.name?.value === name.value) found = true;
    const isApart = apart || node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true);
    if (!found) forEachChild(node, (child) => visit(child, isApart));
  };
  visit(body, false);
  return found;
}
