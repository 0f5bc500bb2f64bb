import * as z from 'zod';
import type { FcmpMessage, RaspEvent } from '../protocol/index.ts';
import * as protocol from '../protocol/index.ts';
import { loose } from './loose.ts';
import { checkedEvent, checkedMessage } from './parse-events.ts';

/** A newer server may report other kinds of problems. */
const problemSchema = protocol.verificationSchema.shape.problems.element.extend({ kind: z.string() });
const verificationSchema = protocol.verificationSchema
  .pick({ verdict: true })
  .extend({ problems: z.array(problemSchema) });

/** The protocol's answers, tolerant of additions by newer servers. */
export const answers = {
  run: loose(protocol.runViewSchema),
  runs: loose(protocol.runPageSchema),
  events: pageOf(checkedEvent, 'events'),
  conversation: pageOf(checkedMessage, 'conversation'),
  search: loose(protocol.searchAnswerSchema),
  lines: loose(protocol.linesAnswerSchema),
  timing: loose(protocol.timingAnswerSchema.omit({ run_id: true, attempt: true })),
  attempt: loose(protocol.metaSchema),
  files: loose(protocol.fsDiffSchema),
  result: loose(protocol.resultSchema),
  verification: loose(verificationSchema),
  ledgerHead: loose(protocol.ledgerHeadSchema),
  since: loose(protocol.sinceAnswerSchema.pick({ verdict: true, problems: true, removed: true, checked: true })),
  reply: loose(protocol.replyAnswerSchema),
  approval: loose(protocol.approvalSchema),
  approvals: loose(protocol.approvalsAnswerSchema),
  engines: loose(protocol.enginesAnswerSchema),
  health: loose(protocol.healthSchema),
  opened: loose(protocol.streamOpenedSchema),
  closed: loose(protocol.streamClosedSchema),
  removed: loose(protocol.runRemovedSchema),
  terminal: loose(protocol.terminalViewSchema),
  terminals: loose(protocol.terminalsAnswerSchema),
  signalled: loose(protocol.signalledSchema),
  command: loose(protocol.commandResultSchema),
};

export type TimingAnswer = z.infer<typeof answers.timing>;
export type SinceAnswer = z.infer<typeof answers.since>;
export type VerificationAnswer = z.infer<typeof answers.verification> & { [more: string]: unknown };

/** A part of a history. Pass `next_cursor` as cursor to get the next part; it is null at the end. */
export interface Page<T> {
  events: T[];
  next_cursor: number | null;
  /** Number of all in the run, whatever was requested. */
  total: number;
}

function pageOf<T extends RaspEvent | FcmpMessage>(
  parse: (value: unknown, place: string) => T,
  place: string,
): z.ZodType<Page<T>> {
  const page = loose(protocol.pageOf(z.unknown()));
  return page.transform(({ events, ...rest }) => ({ ...rest, events: events.map((event) => parse(event, place)) }));
}
