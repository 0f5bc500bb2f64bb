import { ENGINE_WORDS } from './aliases.ts';

/** The bundles, each with the commands that it has. All of them are in `cli`, which is larger and so slower to load. */
export const COMMANDS_OF = {
  record: ['run', 'resume', 'supervise'],
  records: [
    'reply',
    'cancel',
    'approvals',
    'runs',
    'show',
    'diff',
    'events',
    'raw',
    'replay',
    'export',
    'verify',
    'ledger',
    'reparse',
    'import',
    'recover',
    'prune',
    'rm',
    'open',
    'status',
    'stop',
    'complete-runs',
  ],
  terminal: ['attach', 'terminal', 'runtime', 'complete-sessions'],
  cli: ['start', 'mcp', 'demo', 'logs', 'index', 'engines', 'doctor', 'config', 'trust', 'completion'],
} as const;

/** Where a command line is run. */
export interface Launch {
  /** The name of the bundle. */
  bundle: string;
  /** What compiled code is kept for: each command calls other functions. A name of a known command, or 'other'. */
  use: string;
  /** Whether it serves until it is told to end, or killed. */
  serves: boolean;
}

/** Of a command line without aliases. */
export function launchOf(argv: readonly string[]): Launch {
  const [name = '', second = ''] = argv;
  const bundle = Object.entries(COMMANDS_OF).find(([, names]) => (names as readonly string[]).includes(name))?.[0];
  if (!bundle) return { bundle: 'cli', use: 'other', serves: false };
  if (bundle === 'record') return { bundle, use: name === 'run' && isCommand(second) ? 'plain' : name, serves: false };
  const isDaemon = name === 'runtime' && (second === 'serve' || second === '--stdio');
  return { bundle, use: isDaemon ? 'daemon' : name, serves: isDaemon || name === 'start' || name === 'mcp' };
}

/** Only a command without options is recorded without a schema. */
function isCommand(word: string): boolean {
  if (word === '--') return true;
  return word !== '' && !word.startsWith('-') && word !== 'demo' && !ENGINE_WORDS.includes(word);
}
