import type { PolicyRule, ToolApprovalAnswer, ToolApprovalRequest } from '../../protocol/index.ts';
import type { Approver } from './approver.ts';
import { DecidedElsewhere } from './decided-elsewhere.ts';
import { checkTerminal, createTurns, plainText, readKey, type TerminalStreams } from './terminal.ts';

/** Asks on a terminal, with one key for an answer. Refuses streams that are not a terminal. */
export function terminalApprover(streams: TerminalStreams): Approver {
  checkTerminal(streams, 'the terminal approver');
  const inTurn = createTurns();
  return { decide: (request, signal) => inTurn(() => ask(request, streams, signal)) };
}

async function ask(
  request: ToolApprovalRequest,
  streams: TerminalStreams,
  signal: AbortSignal,
): Promise<ToolApprovalAnswer> {
  const { output } = streams;
  // It may have been decided while another request was on the screen.
  signal.throwIfAborted();
  output.write(describe(request));
  const sayWhy = () => void (signal.reason instanceof DecidedElsewhere && output.write('decided elsewhere\n'));
  signal.addEventListener('abort', sayWhy);
  try {
    return await readAnswer(request, streams, signal);
  } finally {
    signal.removeEventListener('abort', sayWhy);
  }
}

async function readAnswer(
  request: ToolApprovalRequest,
  streams: TerminalStreams,
  signal: AbortSignal,
): Promise<ToolApprovalAnswer> {
  for (;;) {
    const key = await readKey(streams, signal);
    const answer = answerFor(key, request);
    if (!answer) continue;
    streams.output.write(`${answer.decision.replaceAll('_', ' ')}\n`);
    return answer;
  }
}

function describe({ tool, summary, reason, suggested_rule: rule }: ToolApprovalRequest): string {
  const choices = ['y yes', 's for this session', ...(rule ? ['a always'] : []), 'n no', 'q stop the run'];
  return [
    '',
    `${plainText(tool)} needs your approval:`,
    ...plainText(summary)
      .split('\n')
      .map((line) => `  ${line}`),
    `Reason: ${plainText(reason)}`,
    ...(rule ? [`Rule added by "always": ${plainText(shownRule(rule))}`] : []),
    `Allow it? [${choices.join(' · ')}] `,
  ].join('\n');
}

function shownRule({ decision, command, tool, path }: PolicyRule): string {
  if (command) return `${decision} ${command.map((token) => [token].flat().join('|')).join(' ')} …`;
  return `${decision} ${tool === undefined ? `path ${path}` : `tool ${tool}`}`;
}

/** Null for a key that means nothing. ^C stops the run; the end of the input denies. */
function answerFor(key: string | null, { suggested_rule }: ToolApprovalRequest): ToolApprovalAnswer | null {
  const by = 'terminal';
  switch (key) {
    case 'y':
    case 'Y':
      return { decision: 'approved', reason: null, rule: null, by };
    case 's':
    case 'S':
      return { decision: 'approved_for_session', reason: null, rule: null, by };
    case 'a':
    case 'A':
      return suggested_rule && { decision: 'approved_with_rule', reason: null, rule: suggested_rule, by };
    case 'n':
    case 'N':
      return { decision: 'denied', reason: 'the user said no', rule: null, by };
    case 'q':
    case 'Q':
    case '\u0003':
      return { decision: 'abort', reason: 'the user stopped the run', rule: null, by };
    case null:
    case '\u0004':
      return { decision: 'denied', reason: 'the terminal was closed', rule: null, by };
    default:
      return null;
  }
}
