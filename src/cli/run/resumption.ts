import type { NewRun } from '../../client/index.ts';
import { type RunRecord, statusPhrase, TachoError } from '../../protocol/index.ts';
import { findRun } from '../../recording/index.ts';
import {
  type AcceptedSkills,
  type AttemptOrder,
  answerQuestion,
  completeLostAttempt,
  isOwn,
  type RunContext,
  readStoredRequest,
  recordedRequest,
  recordedSkills,
  replyForAnswer,
  replyTo,
  requestSettings,
  requireSealed,
} from '../../runs/index.ts';
import type { ResumeOptions } from '../commands/run.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';
import { type TypedReply, typedReply } from '../person/typed-reply.ts';

/** Our own agent then looks for the decision. */
const NOTHING_TO_SAY = 'continue';

export interface Resumption {
  wanted: NewRun;
  order: AttemptOrder;
  context: RunContext;
  /** Its skills, as they were accepted. */
  skills: AcceptedSkills;
}

/** The next attempt of a run, which continues the engine's session with a message. */
export async function resumptionOf(
  selector: string,
  said: string | TypedReply,
  options: ResumeOptions,
): Promise<Resumption> {
  const outer = openContext(options);
  await completeLostAttempt(selector, outer);
  const folder = findRun(outer.home.runs, selector);
  const record = await requireSealed(folder, outer);
  if (record.status === 'queued' || record.status === 'running') {
    throw new TachoError(
      'RUN_LOCKED',
      `run ${record.handle} ${statusPhrase(record)}: its next attempt was begun already`,
      {
        facts: { status: record.status },
      },
    );
  }
  const question = record.status === 'waiting_user' ? (record.question ?? null) : null;
  const reply = typeof said === 'string' ? await replyIn(said, record, options, outer) : said;
  const { isEarlier, ...counted } = await answerQuestion({ question }, reply, outer);
  if (isEarlier && !options.quiet) {
    process.stderr.write(`${paint.yellow('tacho:')} the question was answered before; the first answer counts\n`);
  }
  const order = { ...replyTo(record, counted, { reopen: options.reopen ?? false }), run: folder.path };
  const stored = isOwn(folder, outer.home) ? readStoredRequest(folder) : null;
  const { packages, skipped_skills, ...before } = stored ?? { ...recordedRequest(record)!, ...recordedSkills(record) };
  const context = openContext(options, { workspaceRoot: record.cwd });
  const wanted: NewRun = {
    ...before,
    settings: before.settings ?? requestSettings(before, context.settings ?? [], 'request'),
    // Stored values take precedence; the caller's environment fills in the rest.
    inherit_env: true,
    mode: (options.mode as NewRun['mode']) ?? before.mode,
    model: options.model ?? before.model,
  };
  const skills = { ...(packages && { packages }), ...(skipped_skills && { skipped_skills }) };
  return { wanted, order, context, skills };
}

/** What is said by the command line. Nothing needs to be said to a run that was answered or decided about elsewhere. */
async function replyIn(
  said: string,
  record: RunRecord,
  { answer = [] }: ResumeOptions,
  context: RunContext,
): Promise<TypedReply> {
  const { status, question = null, last } = record;
  const asked = status === 'waiting_user' ? question : null;
  if (said.trim() !== '' || answer.length > 0 || !asked) return typedReply(asked, said, answer);
  const answered = await replyForAnswer(record, context);
  if (answered) return { answers: answered.answers };
  return { text: last?.reason_code === 'APPROVAL_PENDING' ? NOTHING_TO_SAY : said };
}
