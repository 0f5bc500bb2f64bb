import path from 'node:path';
import { type PolicyRule, policyRuleSchema, TachoError } from '../../protocol/index.ts';
import { inspectLine } from '../shell/inspect-line.ts';
import { type Place, startInspection } from '../shell/report.ts';
import { matchesCommand } from './match-command.ts';
import { compileRule, type LoadedRule, type RuleLevel } from './rule.ts';

/** Checks rules and their examples. The shell grammar has to be loaded. */
export function loadRules(
  rules: readonly unknown[],
  { level, firstIndex, place }: { level: RuleLevel; firstIndex: number; place: Place },
): LoadedRule[] {
  return rules.map((given, offset) => {
    const index = firstIndex + offset;
    const name = `rule ${offset + 1} of the ${level} level`;
    const rule = checkRule(given, name);
    const loaded = compileRule(rule, { index, level, ...place });
    checkExamples(loaded, name, place);
    return loaded;
  });
}

function checkRule(given: unknown, name: string): PolicyRule {
  const parsed = policyRuleSchema.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue!.path.length > 0 ? ` at ${issue!.path.join('.')}` : '';
    throw invalid(`${name} is invalid${where}: ${issue!.message}`, name);
  }
  const rule = parsed.data;
  const subjects = (['command', 'tool', 'path'] as const).filter((key) => rule[key] !== undefined);
  if (subjects.length !== 1) {
    throw invalid(
      `${name} must have exactly one of command, tool and path, and has ${subjects.join(', ') || 'none'}`,
      name,
    );
  }
  if (rule.access !== undefined && rule.path === undefined) {
    throw invalid(`${name} has "access", which belongs to rules with "path"`, name);
  }
  return rule;
}

function checkExamples(loaded: LoadedRule, name: string, place: Place): void {
  const { rule } = loaded;
  for (const example of rule.match ?? []) {
    if (!appliesTo(loaded, example, place)) {
      throw invalid(`${name} does not apply to its example ${JSON.stringify(example)}`, name, { example });
    }
  }
  for (const example of rule.not_match ?? []) {
    if (appliesTo(loaded, example, place)) {
      throw invalid(`${name} applies to ${JSON.stringify(example)}, its example of what it must not apply to`, name, {
        example,
      });
    }
  }
}

/** An example is a command line, the name of a tool, or a path, like the rule. */
function appliesTo({ rule, tools, paths }: LoadedRule, example: string, place: Place): boolean {
  if (tools) return tools.test(example);
  if (paths) {
    const whole = example.startsWith('~/') ? path.join(place.home, example.slice(2)) : example;
    return paths.pattern.test(path.resolve(place.workspaceRoot, whole));
  }
  const inspection = startInspection(place.workspaceRoot, place);
  inspectLine(example, inspection);
  return inspection.report.commands.some(({ words }) => matchesCommand(rule, words));
}

function invalid(message: string, rule: string, facts: Record<string, unknown> = {}): TachoError {
  return new TachoError('POLICY_INVALID', message, {
    facts: { rule, ...facts },
    fix: 'Correct the rule or its example.',
  });
}
