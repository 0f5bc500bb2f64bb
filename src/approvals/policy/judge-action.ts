import path from 'node:path';
import { isBelow } from '../../files/index.ts';
import type { PolicyRule, ToolAction } from '../../protocol/index.ts';
import { variableConcern } from '../shell/assignments.ts';
import { inspectCommand } from '../shell/inspect-command.ts';
import { inspectLine } from '../shell/inspect-line.ts';
import { ask, startInspection } from '../shell/report.ts';
import { literalWord } from '../shell/word.ts';
import { type CommandContext, judgeReport } from './judge-command.ts';
import { judgeInput } from './judge-input.ts';
import { judgePath } from './judge-path.ts';
import type { Piece } from './piece.ts';
import { suggestRule } from './suggest-rule.ts';

export interface JudgedAction {
  pieces: Piece[];
  /** Which rule about the tool allows it where nothing else decides: any one, or only one with the whole name. */
  allowedBy: 'tool' | 'tool by name' | null;
  suggested: PolicyRule | null;
}

export function judgeAction(action: ToolAction, context: CommandContext): JudgedAction {
  switch (action.kind) {
    case 'shell':
    case 'program':
      return judgeCommandLine(action, context);
    case 'input':
      return { pieces: judgeInput(action, context), allowedBy: 'tool by name', suggested: null };
    case 'read':
    case 'write':
    case 'delete': {
      const file = path.resolve(context.place.workspaceRoot, action.path);
      const access = action.kind === 'read' ? 'read' : 'write';
      const isInsideWrite = access === 'write' && isBelow(file, context.place.workspaceRoot);
      const allowedBy = isInsideWrite ? 'tool' : null;
      return { pieces: [judgePath(access, file, context)], allowedBy, suggested: null };
    }
  }
}

function judgeCommandLine(
  action: Extract<ToolAction, { kind: 'shell' | 'program' }>,
  context: CommandContext,
): JudgedAction {
  const { place } = context;
  const folder = path.resolve(place.workspaceRoot, action.cwd);
  const inspection = startInspection(folder, place);
  if (!isBelow(folder, place.workspaceRoot)) ask(inspection, `runs in ${folder}, outside of the workspace`);
  for (const name of action.variables ?? []) ask(inspection, variableConcern(name));
  if (action.kind === 'shell') inspectLine(action.line, inspection);
  else inspectCommand(action.argv.map(literalWord), inspection);
  const { pieces, undecided } = judgeReport(inspection.report, context);
  // A rule about commands cannot allow the rest, such as a redirection.
  const others = pieces.filter(({ decision }) => decision !== 'allow').length - undecided.length;
  const line = action.kind === 'shell' ? action.line : action.argv.join(' ');
  return { pieces, allowedBy: null, suggested: others === 0 ? suggestRule(line, undecided) : null };
}
