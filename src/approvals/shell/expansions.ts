import type { ParameterExpansionPart, SyntaxNode } from 'unbash';
import { isPublicVariable } from './assignments.ts';
import { shellGrammar } from './grammar.ts';
import { inspectScript } from './inspect-line.ts';
import { ask, type Inspection, MAX_DEPTH } from './report.ts';

/** Arithmetic without names: names are evaluated, and their values may run commands. */
const PLAIN_ARITHMETIC = /^\$(?:\(\(|\[)[\d\s+\-*/%()<>=!&|^~?:,]*(?:\)\)|\])$/;
const PLAIN_INDEX = /^(?:-?\d+|[@*])$/;

/**
 * Looks at everything that is expanded in a word, an assignment or a redirection: commands are added to the report, and
 * what may have effects is a finding.
 */
export function inspectExpansions(
  node: SyntaxNode,
  inspection: Inspection,
  { skipLists = false }: { skipLists?: boolean } = {},
): void {
  if (node.type === 'Word' && !node.parts) return;
  shellGrammar().forEachChild(node, (child) => {
    switch (child.type) {
      case 'Script':
        inspectSubstitution(child, inspection);
        return;
      case 'CompoundList':
        if (!skipLists) ask(inspection, 'has a construct that is not understood');
        return;
      case 'SimpleExpansion':
        checkVariable(child.text.slice(1), inspection);
        break;
      case 'ParameterExpansion':
        checkVariable(child.parameter, inspection);
        if (!isPlainParameter(child)) ask(inspection, `has the expansion ${child.text}, which can have effects`);
        break;
      case 'ArithmeticExpansion':
        if (!PLAIN_ARITHMETIC.test(child.text)) ask(inspection, 'evaluates arithmetic, which can run commands');
        break;
      default:
        break;
    }
    inspectExpansions(child, inspection, { skipLists });
  });
}

/** The value of a variable may be a secret, and options that nobody has seen. */
function checkVariable(name: string, inspection: Inspection): void {
  if (!isPublicVariable(name, inspection.loopNames)) ask(inspection, `uses the variable ${name}, which may be secret`);
}

/** A substitution has a shell of its own: a `cd` in it changes nothing outside. */
function inspectSubstitution(script: Parameters<typeof inspectScript>[0], inspection: Inspection): void {
  const { folders, input } = inspection;
  if (inspection.depth >= MAX_DEPTH) {
    ask(inspection, 'nests substitutions too deeply');
    return;
  }
  inspection.depth++;
  inspectScript(script, inspection);
  inspection.depth--;
  inspection.folders = folders;
  inspection.input = input;
}

/** No indirection, no assignment, nothing that is evaluated. */
function isPlainParameter({ prefix, index, operation }: ParameterExpansionPart): boolean {
  if (prefix === '!') return false;
  if (index && !PLAIN_INDEX.test(index.value)) return false;
  switch (operation?.type) {
    case undefined:
    case 'Remove':
    case 'Replace':
    case 'CaseModification':
      return true;
    case 'Default':
      return !operation.operator.endsWith('=');
    case 'Slice':
      return PLAIN_INDEX.test(operation.offset.value) && PLAIN_INDEX.test(operation.length?.value ?? '0');
    default:
      return false;
  }
}
