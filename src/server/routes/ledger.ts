import { ledgerHeadSchema, sinceAnswerSchema, TachoError } from '../../protocol/index.ts';
import { formatHead, parseHead } from '../../record/index.ts';
import { loadSealKey } from '../../recording/index.ts';
import { openLedger, verifySince } from '../../runs/index.ts';
import { answers } from '../answers.ts';
import { sinceBody } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

/** The ledger of all seals, and whether the runs still match it. */
export function ledgerRoutes(app: RouteApp, { context: { home }, turns }: Service): void {
  app.route({
    method: 'GET',
    url: '/v1/ledger/head',
    config: { scope: 'read' },
    schema: {
      summary: 'One line that commits to all seals so far; keep it elsewhere.',
      response: answers(200, ledgerHeadSchema),
    },
    handler: async () => {
      const key = loadSealKey(home.keys);
      return { head: formatHead(await openLedger(home).read((reader) => reader.head(key))) };
    },
  });

  app.route({
    method: 'POST',
    url: '/v1/ledger/verify',
    config: { scope: 'read' },
    schema: {
      summary: 'Checks that no sealed run was changed, replaced or removed since a head of the ledger was printed.',
      body: sinceBody,
      response: answers(200, sinceAnswerSchema),
    },
    handler: async ({ body }, reply) => {
      const head = parseHead(body.since);
      if (head) return turns.take(reply.raw, () => verifySince(head, home, { deep: body.deep ?? false }));
      throw new TachoError('INVALID_REQUEST', `not a ledger head: ${JSON.stringify(body.since.slice(0, 60))}`, {
        fix: 'Give the whole line that `tacho ledger head` printed.',
      });
    },
  });
}
