import type { ToolAction } from '../../protocol/index.ts';
import { inspectLine } from '../shell/inspect-line.ts';
import { startInspection } from '../shell/report.ts';
import { type CommandContext, judgeReport } from './judge-command.ts';
import type { Piece } from './piece.ts';

/** Nothing, or Ctrl-C: it can only end what was allowed to begin. */
const ONLY_INTERRUPTS = /^\u0003*$/;
/** Enter and other keys, each of which may end a line. */
const KEYS = /[\u0000-\u0008\u000a-\u001f\u007f]+/;
const MAX_LINES = 1000;

/**
 * Judges text that is typed into a running program. The program may be a shell or an interpreter, which cannot be known,
 * so any text may be a command: it is decided about like an unknown one. What would be denied as a command line is denied
 * here too, and asked about if a rule says so.
 */
export function judgeInput({ text }: Extract<ToolAction, { kind: 'input' }>, context: CommandContext): Piece[] {
  if (ONLY_INTERRUPTS.test(text)) {
    return [{ decision: 'allow', reason: 'it types nothing, or Ctrl-C', rule: null, from: 'default' }];
  }
  const reason = 'types into a program, which may take it as a command';
  const unknown: Piece = { decision: context.commandDefault, reason, rule: null, from: 'default' };
  const lines = text.split(KEYS).filter((line) => line.trim() !== '');
  if (lines.length > MAX_LINES) return [unknown, { ...unknown, decision: 'ask', from: 'fixed' }];
  // As a whole for commands of several lines, and line by line for what cannot be parsed as a whole.
  const scripts = lines.length > 1 ? [lines.join('\n'), ...lines] : lines;
  return [unknown, ...scripts.flatMap((script) => objections(script, context))];
}

function objections(script: string, context: CommandContext): Piece[] {
  const inspection = startInspection(context.place.workspaceRoot, context.place);
  inspectLine(script, inspection);
  const { pieces } = judgeReport(inspection.report, context);
  return pieces.filter(({ decision, from }) => {
    return (decision === 'deny' && from !== 'default') || (decision === 'ask' && from === 'rule');
  });
}
