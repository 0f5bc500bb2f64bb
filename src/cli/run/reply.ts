import { createClient } from '../../client/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { findRun, handleOf, readRunRecord } from '../../recording/index.ts';
import { findServer, loadTokens } from '../../runs/index.ts';
import type { ReplyOptions } from '../commands/run.ts';
import { openContext } from '../context.ts';
import { paint } from '../output/paint.ts';
import { typedReply } from '../person/typed-reply.ts';

export async function replyToRun(selector: string, text: string, options: ReplyOptions): Promise<void> {
  const { home } = openContext(options);
  const folder = findRun(home.runs, selector);
  const handle = handleOf(folder.runId);
  const server = findServer(home);
  if (!server) {
    throw new TachoError('SERVER_UNREACHABLE', `no server serves ${home.root}`, {
      fix: `Start one with tacho start, or continue the run here: tacho resume ${handle} "…"`,
    });
  }
  const client = createClient({ url: server.url, token: loadTokens(home.root).admin });
  const { question = null } = readRunRecord(folder);
  const answer = await client.reply(folder.runId, {
    interaction_id: question?.interaction_id ?? 'none',
    ...typedReply(question, text, options.answer),
  });
  if (options.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else
    process.stdout.write(
      `${paint.green('✔')} the answer begins attempt ${answer.attempt} ${paint.dim(`· tacho show ${handle} --chat`)}\n`,
    );
}
