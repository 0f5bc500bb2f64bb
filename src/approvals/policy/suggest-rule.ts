import type { PolicyRule } from '../../protocol/index.ts';
import { isInterpreter, LAUNCHERS } from '../shell/program-kinds.ts';
import { systemName } from '../shell/program-name.ts';
import type { FoundCommand } from '../shell/report.ts';
import { WRAPPERS } from '../shell/wrappers.ts';

/** Programs whose arguments decide about everything, or that destroy: each use is a decision of its own. */
const NEVER = new Set([
  ...['rm', 'rmdir', 'unlink', 'shred', 'dd', 'mv', 'cp', 'ln', 'chmod', 'chown', 'chgrp', 'kill', 'pkill', 'killall'],
  ...['curl', 'wget', 'find', 'fd', 'tar', 'unzip', 'zip', 'rsync', 'scp', 'nc', 'install', 'tee', 'truncate', 'less'],
  ...['more', 'man', 'source', '.', 'export', 'alias', 'unalias', 'declare', 'local', 'readonly', 'unset', 'set', 'cd'],
  ...['shopt', 'enable', 'hash', 'let', 'read', 'mapfile', 'readarray', 'printf', 'exec', 'trap', 'ulimit', 'umask'],
  ...['git', 'systemctl', 'service', 'apt', 'apt-get', 'dnf', 'yum', 'brew', 'pacman', 'mount', 'umount', 'crontab'],
  ...['env', 'printenv', 'pushd', 'popd', 'typeset', 'getopts', 'fc', 'history', 'jobs', 'bg', 'fg', 'disown', 'test'],
]);

/** Programs whose first words say what they do; how many of them. */
const SUBCOMMANDS: Readonly<Record<string, (words: readonly string[]) => number>> = {
  npm: scripts,
  pnpm: scripts,
  yarn: scripts,
  bun: scripts,
  git: (words) => (/^(?:add|commit|fetch|pull|switch|stash|restore|checkout|merge|rebase)$/.test(words[1]!) ? 2 : 0),
  cargo: () => 2,
  go: () => 2,
  make: () => 2,
  just: () => 2,
  dotnet: () => 2,
  gradle: () => 2,
  mvn: () => 2,
  pip: () => 2,
  gh: () => 3,
};

const MAX_WORDS = 8;
const PLAIN = /^[\w@%+:,./=-]+$/;

/** A rule that would allow this line and little else; null if it has several undecided parts or none can be safe. */
export function suggestRule(line: string, undecided: readonly FoundCommand[]): PolicyRule | null {
  const prefixes = new Map<string, string[]>();
  for (const command of undecided) {
    const prefix = prefixOf(command);
    if (!prefix) return null;
    prefixes.set(prefix.join(' '), prefix);
  }
  const [prefix, ...more] = prefixes.values();
  if (!prefix || more.length > 0) return null;
  return { decision: 'allow', command: prefix, match: [line] };
}

function prefixOf({ words }: FoundCommand): string[] | null {
  const program = systemName(words[0]) ?? words[0]!.value;
  const name = program.slice(program.lastIndexOf('/') + 1);
  const values = [program, ...words.slice(1).map(({ value }) => value)];
  const count = Object.hasOwn(SUBCOMMANDS, name) ? SUBCOMMANDS[name]!(values) : null;
  if (count === null && (NEVER.has(name) || isInterpreter(name) || LAUNCHERS.has(name) || WRAPPERS.has(name)))
    return null;
  if (count === 0) return null;
  const length = count ?? words.length;
  if (length > Math.min(words.length, MAX_WORDS)) return null;
  const prefix = values.slice(0, length);
  const isPlain = words.slice(0, length).every(({ kind }, index) => kind === 'literal' && PLAIN.test(prefix[index]!));
  // Of a program with subcommands, an option before them could be anything.
  const isClear = count === null || prefix.slice(1).every((word) => !word.startsWith('-'));
  return isPlain && isClear ? prefix : null;
}

/** `npm test` and `npm run build`, but not `npm exec`, which runs any program. */
function scripts([, subcommand]: readonly string[]): number {
  if (/^(?:run|run-script)$/.test(subcommand ?? '')) return 3;
  return /^(?:test|t|ci|install|i|start|build|lint|check|ls|outdated|audit)$/.test(subcommand ?? '') ? 2 : 0;
}

/** Whether a rule allows nothing that the suggested one would not. */
export function isWithin(rule: PolicyRule, suggested: PolicyRule): boolean {
  if (rule.decision !== 'allow') return true;
  if (suggested.tool !== undefined) return rule.tool === suggested.tool && !rule.command && rule.path === undefined;
  const { command: given } = rule;
  const { command: wanted } = suggested;
  if (!given || !wanted || rule.tool !== undefined || rule.path !== undefined) return false;
  if (given.length < wanted.length) return false;
  return wanted.every((token, index) => {
    const allowed = [token].flat();
    return [given[index]!].flat().every((word) => allowed.includes(word));
  });
}
