import type { Command } from 'commander';

/** Commands by task; `more` lists those without a line of their own. */
const GROUPS: readonly { title: string; shown: readonly string[]; more: readonly string[] }[] = [
  {
    title: 'Record',
    shown: ['run', 'resume', 'attach', 'cancel', 'demo'],
    more: ['reply', 'approvals', 'import', 'watch'],
  },
  {
    title: 'Inspect',
    shown: ['runs', 'show', 'logs', 'replay', 'diff', 'open'],
    more: ['result', 'status', 'events', 'raw', 'export'],
  },
  { title: 'Verify and clean up', shown: ['verify', 'rm'], more: ['prune', 'ledger', 'reparse', 'recover', 'index'] },
  {
    title: 'Set up',
    shown: ['engines', 'doctor', 'start'],
    more: ['skills', 'stop', 'config', 'policy', 'trust', 'completion'],
  },
  { title: 'Terminals for agents', shown: ['terminal'], more: ['runtime', 'mcp'] },
];

/** A test runs these as printed. */
export const TOP_EXAMPLES = `Examples:
  tacho run npm test                        its exit code is that of npm test
  tacho run codex "fix the failing test"    an agent, shown as a conversation
  git diff | tacho run codex "review it"    piped text follows the prompt
  tacho replay last~1                       watch the run before the last one
  tacho verify                              check the last run`;

/** The help of `tacho` itself: fits on one screen, with the other commands by name. */
export function formatTopHelp(program: Command): string {
  const listed = program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help');
  const byName = new Map(listed.map((command) => [command.name(), command]));
  const grouped = new Set(GROUPS.flatMap(({ shown, more }) => [...shown, ...more]));
  const groups = GROUPS.map(({ title, shown, more }, index) => {
    const lines = shown.flatMap((name) => (byName.has(name) ? [line(name, byName.get(name)!.summary())] : []));
    // A command without a group is still listed, at the end.
    const others =
      index === GROUPS.length - 1 ? listed.map((one) => one.name()).filter((one) => !grouped.has(one)) : [];
    const named = [...more.filter((name) => byName.has(name)), ...others];
    return [`${title}:`, ...lines, ...(named.length === 0 ? [] : [line('', `also: ${named.join(', ')}`)])].join('\n');
  });
  return `Usage: tacho <command> [options]

${program.description()}

${groups.join('\n')}

${TOP_EXAMPLES}

tacho <command> --help explains a command; -V, --version; -h, --help
`;
}

function line(name: string, text: string): string {
  return `  ${name.padEnd(10)}${text}`;
}
