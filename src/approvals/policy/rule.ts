import path from 'node:path';
import type { PolicyRule } from '../../protocol/index.ts';

export type RuleLevel = 'user' | 'workspace';

/** A rule that was checked, in a form that is quick to apply. */
export interface LoadedRule {
  rule: PolicyRule;
  /** Of all rules of the policy. */
  index: number;
  level: RuleLevel;
  /** For rules about paths. */
  paths: PathPattern | null;
  /** For rules about tools. */
  tools: RegExp | null;
}

export interface PathPattern {
  pattern: RegExp;
  /** The folder, or file, that all paths of the pattern lie in. */
  base: string;
}

export function compileRule(
  rule: PolicyRule,
  { index, level, workspaceRoot, home }: { index: number; level: RuleLevel; workspaceRoot: string; home: string },
): LoadedRule {
  return {
    rule,
    index,
    level,
    paths: rule.path === undefined ? null : compilePath(rule.path, { workspaceRoot, home }),
    tools: rule.tool === undefined ? null : new RegExp(`^${escapeText(rule.tool).replaceAll('\\*', '.*')}$`, 's'),
  };
}

/** A pattern also applies to everything below the folders that match it. */
function compilePath(text: string, { workspaceRoot, home }: { workspaceRoot: string; home: string }): PathPattern {
  const given = text.startsWith('~/') ? path.join(home, text.slice(2)) : text;
  const whole = path.resolve(workspaceRoot, given);
  const source = escapeText(whole)
    .replaceAll('\\*\\*/', '(?:.*/)?')
    .replaceAll('\\*\\*', '.*')
    .replaceAll('\\*', '[^/]*')
    .replaceAll('\\?', '[^/]');
  const first = whole.search(/[*?]/);
  const base = first < 0 ? whole : whole.slice(0, whole.lastIndexOf('/', first)) || '/';
  return { pattern: new RegExp(`^${source}(?:/.*)?$`, 's'), base };
}

function escapeText(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
