import { tool } from '../define-tool.ts';

const STATUSES = ['pending', 'in_progress', 'completed'] as const;

interface PlanInput {
  explanation?: string;
  plan: { step: string; status: (typeof STATUSES)[number] }[];
}

const MARKS = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;

export const updatePlan = tool<PlanInput>({
  name: 'update_plan',
  description:
    'Record your plan for a longer task: its steps, at most one of them in progress. Send all steps each time.',
  input: {
    type: 'object',
    properties: {
      explanation: { type: 'string', description: 'Why the plan changed' },
      plan: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          properties: { step: { type: 'string', minLength: 1, maxLength: 1000 }, status: { enum: STATUSES } },
          required: ['step', 'status'],
          additionalProperties: false,
        },
      },
    },
    required: ['plan'],
    additionalProperties: false,
  },
  hasEffects: false,
  parse: (value) => {
    const input = value as PlanInput;
    const active = input.plan.flatMap(({ status }, index) => (status === 'in_progress' ? [index] : []));
    if (active.length <= 1) return { value: input };
    const message = 'only one step may be in_progress';
    return { issues: active.slice(1).map((index) => ({ path: ['plan', index, 'status'], message })) };
  },
  execute: ({ plan, explanation = null }) => {
    const lines = plan.map(({ step, status }) => `${MARKS[status]} ${step}\n`);
    return { ok: true, stdout: lines.join(''), data: { plan, explanation } };
  },
});
