import { approvalSchema, approvalsAnswerSchema, decisionSchema } from '../../protocol/index.ts';
import { answers } from '../answers.ts';
import { requireScope } from '../guard.ts';
import { approvalParams, approvalsQuery } from '../schemas.ts';
import type { RouteApp, Service } from '../service.ts';

/** Approvals that agents ask for. */
export function approvalRoutes(app: RouteApp, { director }: Service): void {
  app.route({
    method: 'GET',
    url: '/v1/approvals',
    config: { scope: 'read' },
    schema: {
      summary: 'Lists approvals.',
      querystring: approvalsQuery,
      response: answers(200, approvalsAnswerSchema),
    },
    handler: async ({ query: { status } }) => ({ approvals: await director.approvals(status ? { status } : {}) }),
  });

  app.route({
    method: 'POST',
    url: '/v1/approvals/:id/decision',
    config: { scope: 'reply' },
    schema: {
      summary: 'Decides; a later decision gets the first one as its answer. With `remember: always`, scope `admin`.',
      params: approvalParams,
      body: decisionSchema,
      response: answers(200, approvalSchema),
    },
    handler: (request) => {
      const { params, body } = request;
      // It changes the configuration of the user.
      if (body.remember === 'always') requireScope(request, 'admin');
      return director.decide(params.id, body);
    },
  });
}
