import type { PolicyDecision } from '../../protocol/index.ts';
import { checkSafety } from '../safe/check-safety.ts';
import type { FoundCommand, LineReport } from '../shell/report.ts';
import { judgeNamedPaths, judgeWord, type PathContext } from './judge-path.ts';
import { matchesCommand } from './match-command.ts';
import { type Piece, strictest } from './piece.ts';
import { shownWords } from './shown-words.ts';

export interface CommandContext extends PathContext {
  /** For commands that no rule decides about and that are not known to be safe. */
  commandDefault: PolicyDecision;
}

export interface JudgedReport {
  pieces: Piece[];
  /** Commands that nothing speaks against but that no rule allows them. */
  undecided: FoundCommand[];
}

/** Judges each command, redirection and finding of a line. All of them have to be allowed. */
export function judgeReport({ commands, findings, paths }: LineReport, context: CommandContext): JudgedReport {
  const pieces: Piece[] = findings.map((finding) => ({ ...finding, rule: null, from: 'fixed' }));
  const undecided: FoundCommand[] = [];
  for (const { access, word, folders } of paths) pieces.push(judgeWord(access, word, { folders }, context));
  for (const command of commands) {
    const judged = judgeCommand(command, context);
    pieces.push(...judged);
    if (strictest(judged)?.from === 'default' && strictest(judged)?.decision === 'ask') undecided.push(command);
  }
  return { pieces, undecided };
}

function judgeCommand(command: FoundCommand, context: CommandContext): Piece[] {
  const stated = statedByRules(command, context);
  const said = strictest(stated);
  if (command.isWrapper) return said && said.decision !== 'allow' ? [said] : [];
  const isAllowed = said?.decision === 'allow';
  const safety = checkSafety(command);
  if (safety.safe) {
    const reads = safety.reads.map(({ word, deep }) => judgeWord('read', word, { ...command, deep }, context));
    // A rule that allows the command allows what it reads, unless something is said against that.
    return [...stated, ...(isAllowed ? reads.filter(({ from }) => from !== 'default') : reads)];
  }
  const named = judgeNamedPaths(command.words.slice(1), command.folders, context);
  const pieces = named ? [...stated, named] : stated;
  if (said) return pieces;
  // Most reasons go on after the command; others have a subject of their own.
  const between = /^(?:is|has|may|sets|changes)\b/.test(safety.reason) ? ' ' : ': ';
  const reason = `${shownWords(command.words)}${between}${safety.reason}`;
  return [...pieces, { decision: context.commandDefault, reason, rule: null, from: 'default' }];
}

function statedByRules({ words }: FoundCommand, { rules }: CommandContext): Piece[] {
  return rules
    .filter(({ rule }) => matchesCommand(rule, words))
    .map(({ rule, index }) => {
      const reason = rule.reason ?? `a rule about "${shownPrefix(rule.command!)}" says ${rule.decision}`;
      return { decision: rule.decision, reason, rule: index, from: 'rule' };
    });
}

function shownPrefix(prefix: readonly (string | readonly string[])[]): string {
  return prefix.map((token) => (typeof token === 'string' ? token : token.join('|'))).join(' ');
}
