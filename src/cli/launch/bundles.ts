import { ENGINE_NAMES } from '../../protocol/engine-names.ts';

/** The bundles and the commands in each. `cli` has all commands, but is larger and therefore slower to load. */
export const COMMANDS_OF = {
  record: ['run', 'resume', 'supervise'],
  records: [
    'reply',
    'cancel',
    'approvals',
    'runs',
    'show',
    'result',
    'diff',
    'events',
    'raw',
    'replay',
    'export',
    'verify',
    'ledger',
    'reparse',
    'import',
    'watch',
    'recover',
    'prune',
    'rm',
    'open',
    'status',
    'stop',
    'complete-runs',
  ],
  terminal: ['attach', 'terminal', 'runtime', 'complete-sessions'],
  cli: [
    'start',
    'mcp',
    'demo',
    'logs',
    'index',
    'engines',
    'agent',
    'policy',
    'skills',
    'doctor',
    'config',
    'trust',
    'completion',
    'complete-skills',
  ],
} as const;

/** How to launch a command line. */
export interface Launch {
  bundle: string;
  /** Key of the code cache, since each command calls different functions: the name of a known command, or 'other'. */
  use: string;
  /** Whether it runs until it is stopped or killed. */
  serves: boolean;
}

/** Expects a command line without aliases. */
export function launchOf(argv: readonly string[]): Launch {
  const [name = '', second = ''] = argv;
  const bundle = Object.entries(COMMANDS_OF).find(([, names]) => (names as readonly string[]).includes(name))?.[0];
  if (!bundle) return { bundle: 'cli', use: 'other', serves: false };
  if (bundle === 'record') return { bundle, use: name === 'run' && isCommand(second) ? 'plain' : name, serves: false };
  const isDaemon = name === 'runtime' && (second === 'serve' || second === '--stdio');
  return {
    bundle,
    use: isDaemon ? 'daemon' : name,
    serves: isDaemon || name === 'start' || name === 'mcp' || name === 'watch',
  };
}

/** Only a plain command without options is recorded without loading a schema. */
function isCommand(word: string): boolean {
  if (word === '--') return true;
  return word !== '' && !word.startsWith('-') && !(ENGINE_NAMES as readonly string[]).includes(word);
}
