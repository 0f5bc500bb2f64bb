import * as z from 'zod';
import { POLICY_DECISIONS, policyRuleSchema } from '../../protocol/agent/decision.ts';
import { choice, described, durationOrNull, integer, integerOrNull, numberOrNull, records } from '../field.ts';

/** A Node timer of more than 2^31 - 1 ms fires at once; 24 days is the last whole day below that. */
const MAX_TIMER_MS = 24 * 24 * 3_600_000;

const { shape } = policyRuleSchema;

/** The rule of `protocol/`, with descriptions, and with exactly one subject. */
const ruleSchema = z
  .strictObject({
    decision: described(shape.decision, {
      kind: 'choice',
      accepts: 'allow, ask or deny',
      description: 'The answer where it applies; of several rules the strictest decides.',
    }),
    command: described(shape.command, {
      kind: 'list',
      accepts: 'a list of words; a list in place of a word means any one of its words',
      description: 'Applies to commands that begin with these words.',
    }),
    tool: described(shape.tool, {
      kind: 'text',
      accepts: 'the name of a tool; * matches any characters',
      description: 'Applies to calls of this tool.',
    }),
    path: described(shape.path, {
      kind: 'text',
      accepts: 'a path or pattern below the workspace; ** matches any folders',
      description: 'Applies to these files.',
    }),
    access: described(shape.access, {
      kind: 'choice',
      accepts: 'read, write or any',
      description: 'With path: to which access it applies (default: any).',
    }),
    reason: described(shape.reason, {
      kind: 'text',
      accepts: 'a text',
      description: 'Shown when the rule decides.',
    }),
    match: described(shape.match, {
      kind: 'list',
      accepts: 'a list of commands, tools or paths',
      description: 'Examples that the rule must apply to; checked before an agent starts.',
    }),
    not_match: described(shape.not_match, {
      kind: 'list',
      accepts: 'a list of commands, tools or paths',
      description: 'Examples that the rule must not apply to.',
    }),
  })
  .check((context) => void context.issues.push(...wrongSubject(context.value)));

/** What agents may do without asking, and when they have to stop. */
export const safetySchema = z.strictObject({
  write: choice(POLICY_DECISIONS, 'Whether agents may change files of the workspace, where no rule decides.'),
  command: choice(
    POLICY_DECISIONS,
    'Whether agents may run commands, where no rule decides; commands that provably only read are always allowed.',
  ),
  tool: choice(
    POLICY_DECISIONS,
    'Whether agents may call other tools that have effects, such as those of MCP servers, where no rule decides.',
  ),
  rules: records(ruleSchema, 'Rules about commands, tools and files. Those of a workspace are added to your own.', {
    of: '{decision, command | tool | path, access, reason, match, not_match}',
  }),
  approver: choice(
    ['terminal', 'later', 'deny'],
    'The one who answers when a rule asks: the terminal, any process at a later time, or always no.',
  ),
  max_steps: integerOrNull('Maximum number of steps of a run, its child agents included; null means no limit.', {
    min: 1,
    max: 1_000_000_000,
  }),
  max_wall_ms: durationOrNull('A run ends after this long; null means no limit.', { min: 1, max: MAX_TIMER_MS }),
  max_tokens: integerOrNull('Maximum number of tokens of a run; null means no limit.', {
    min: 1,
    max: 1_000_000_000_000,
  }),
  max_cost_usd: numberOrNull('Maximum cost of a run in USD, by models.prices; null means no limit.', {
    min: 0,
    max: 1_000_000,
  }),
  max_denials: integer('A run ends when the same call was denied this often.', { min: 1, max: 1000 }),
  no_progress_steps: integer('A run ends after this many steps that repeat themselves.', { min: 2, max: 1000 }),
});

function wrongSubject(rule: z.output<typeof policyRuleSchema>): z.core.$ZodRawIssue[] {
  const issue = (key: string, complaint: string): z.core.$ZodRawIssue => {
    return { code: 'custom', path: [key], input: rule, params: { complaint } };
  };
  const subjects = (['command', 'tool', 'path'] as const).filter((key) => rule[key] !== undefined);
  if (subjects.length === 0) return [issue('command', 'is missing: a rule has exactly one of command, tool and path')];
  if (subjects.length > 1) {
    return [issue(subjects[1]!, 'cannot be used here: a rule has exactly one of command, tool and path')];
  }
  const foreign = rule.access !== undefined && rule.path === undefined;
  return foreign ? [issue('access', 'cannot be used here: it requires path')] : [];
}
