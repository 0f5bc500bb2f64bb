import * as z from 'zod';
import { toolActionSchema } from './tool.ts';

/** What a policy says about an action; the strictest of several counts. */
export const POLICY_DECISIONS = ['allow', 'ask', 'deny'] as const;
export const policyDecisionSchema = z.enum(POLICY_DECISIONS);
export type PolicyDecision = z.infer<typeof policyDecisionSchema>;

/** A rule of a policy. It has one of `command`, `tool` and `path`. */
export const policyRuleSchema = z.strictObject({
  decision: policyDecisionSchema,
  command: z
    .array(z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]))
    .min(1)
    .optional()
    .describe('The first words of a command; a list matches any one of its words.'),
  tool: z.string().min(1).optional().describe('Name of a tool; * matches any characters.'),
  path: z.string().min(1).optional().describe('A path or pattern below the workspace; ** matches any folders.'),
  access: z.enum(['read', 'write', 'any']).optional().describe('With `path`; any by default.'),
  reason: z.string().optional().describe('Shown when the rule decides.'),
  match: z.array(z.string()).optional().describe('Examples that the rule has to apply to; checked when it is loaded.'),
  not_match: z.array(z.string()).optional().describe('Examples that the rule must not apply to.'),
});
/** A rule of a policy. It has one of `command`, `tool` and `path`. */
export type PolicyRule = z.infer<typeof policyRuleSchema>;

/** What a policy said about a call, and why. */
export const policyVerdictSchema = z.strictObject({
  decision: policyDecisionSchema,
  reason: z.string(),
  rule: z.int().nullable().describe('Index of the rule that decided; null if none did.'),
  suggested_rule: policyRuleSchema
    .nullable()
    .describe('A rule that would allow this and little else; null if there is none that is safe.'),
});
/** What a policy says about a call, and why. */
export type PolicyVerdict = z.infer<typeof policyVerdictSchema>;

export const approvalDecisionSchema = z.enum([
  'approved',
  'approved_for_session',
  'approved_with_rule',
  'denied',
  'abort',
]);
/** What a person or a program decides about a call. */
export type ApprovalDecision = z.infer<typeof approvalDecisionSchema>;

/** A request for a decision, as a person or a program gets it. Holds no secret. */
export const toolApprovalRequestSchema = z.strictObject({
  approval_id: z.string(),
  run_id: z.string(),
  call_id: z.string(),
  tool: z.string(),
  summary: z.string().describe('One line, such as the command.'),
  arguments: z.json().describe('As in the log: without secrets and contents of files.'),
  actions: z.array(toolActionSchema),
  reason: z.string().describe('Why the policy asks.'),
  suggested_rule: policyRuleSchema.nullable(),
  digest: z
    .string()
    .describe(
      'Of tool, arguments and workspace, keyed; of an untrusted tool also of its spec. A decision counts for this digest only.',
    ),
});
/** A request for a decision, as a person or a program gets it. Holds no secret. */
export type ToolApprovalRequest = z.infer<typeof toolApprovalRequestSchema>;

export const toolApprovalAnswerSchema = z.strictObject({
  decision: approvalDecisionSchema,
  reason: z.string().nullable(),
  rule: policyRuleSchema.nullable().describe('Of approved_with_rule; must be the suggested one or stricter.'),
  by: z.string().describe('The one who decided: terminal, callback, policy, or a name.'),
});
/** A decision. */
export type ToolApprovalAnswer = z.infer<typeof toolApprovalAnswerSchema>;

/** One question to a person, with the answers it offers. */
export const askedQuestionSchema = z.strictObject({
  id: z.string(),
  text: z.string(),
  choices: z.array(z.strictObject({ value: z.string(), description: z.string().nullable() })),
  allow_other: z.boolean().describe('Whether free text is an answer too.'),
});
/** One question to a person, with the answers it offers. */
export type AskedQuestion = z.infer<typeof askedQuestionSchema>;

/** A question of a tool to a person. */
export const humanQuestionSchema = z.strictObject({
  question_id: z.string(),
  run_id: z.string(),
  call_id: z.string(),
  questions: z.array(askedQuestionSchema).min(1),
});
/** Questions of a tool to a person. */
export type HumanQuestion = z.infer<typeof humanQuestionSchema>;

/** Answers by the ids of the questions. */
export const humanAnswerSchema = z.strictObject({ answers: z.record(z.string(), z.string()), by: z.string() });
/** Answers, by the ids of the questions. */
export type HumanAnswer = z.infer<typeof humanAnswerSchema>;
