import { expect, test } from 'vitest';
import { type Reply, type RunRecord, TachoError } from '../../../src/protocol/index.ts';
import { AutoReplies } from '../../../src/runs/service/auto-replies.ts';
import { runRecord } from '../../protocol/samples.ts';

const waiting: RunRecord = {
  ...runRecord,
  status: 'waiting_user',
  request: undefined,
  auto_reply: { after_ms: 1, text: 'go on' },
  question: { interaction_id: '1.1', prompt: 'Which colour?' },
  last: {
    attempt: 1,
    exit_code: 0,
    signal: null,
    state: 'awaiting_user_input',
    reason_code: 'QUESTION',
    ended_at: '2026-11-15T08:30:00.000Z',
  },
};

function answering(outcome: (attempt: number) => Error | null) {
  const sent: Reply[] = [];
  const replies = new AutoReplies(
    async (_, reply) => {
      sent.push(reply);
      const error = outcome(sent.length);
      if (error) throw error;
    },
    { retryMs: 1 },
  );
  replies.consider(waiting);
  return { sent, replies };
}

test('a reply that fails is sent again until it is accepted', async () => {
  const { sent, replies } = answering((attempt) => (attempt < 3 ? new Error('no descriptors left') : null));
  await expect.poll(() => sent.length).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 20));
  replies.close();
  expect(sent.map(({ text, idempotency_key }) => [text, idempotency_key])).toEqual(
    Array(3).fill(['go on', 'auto 1.1']),
  );
});

test('a reply that was refused is not sent again', async () => {
  const { sent, replies } = answering(() => new TachoError('REPLY_STALE', 'another one came first'));
  await expect.poll(() => sent.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  replies.close();
  expect(sent).toHaveLength(1);
});
