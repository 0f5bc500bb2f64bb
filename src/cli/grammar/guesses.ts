import { commandLine } from '../output/format.ts';
import { isProgram } from '../run/is-program.ts';

/** Words that users try, with the matching commands. */
const GUESSES: Readonly<Record<string, readonly string[]>> = {
  delete: ['rm'],
  del: ['rm'],
  remove: ['rm'],
  clean: ['prune'],
  cleanup: ['prune'],
  gc: ['prune'],
  purge: ['prune'],
  serve: ['start'],
  server: ['start', 'status'],
  up: ['start'],
  daemon: ['start'],
  down: ['stop'],
  shutdown: ['stop'],
  exec: ['run'],
  execute: ['run'],
  rec: ['run'],
  record: ['run'],
  capture: ['run'],
  cat: ['logs', 'raw'],
  output: ['logs', 'raw'],
  log: ['logs'],
  tail: ['logs -f'],
  history: ['runs'],
  info: ['show'],
  inspect: ['show'],
  describe: ['show'],
  chat: ['show --chat'],
  transcript: ['show --chat'],
  conversation: ['show --chat'],
  play: ['replay'],
  watch: ['replay', 'attach'],
  follow: ['events -f', 'attach'],
  check: ['verify'],
  validate: ['verify'],
  proof: ['ledger proof'],
  patch: ['diff'],
  changes: ['diff'],
  kill: ['cancel'],
  abort: ['cancel'],
  answer: ['reply', 'resume'],
  respond: ['reply', 'resume'],
  continue: ['resume'],
  repair: ['recover'],
  studio: ['open'],
  ui: ['open'],
  web: ['open'],
  browser: ['open'],
  top: ['status'],
  stat: ['status'],
  settings: ['config'],
  agents: ['engines'],
  agent: ['engines'],
  models: ['engines'],
  skill: ['skills'],
  login: ['engines login'],
  auth: ['engines login'],
  install: ['engines install'],
  shell: ['terminal create'],
  term: ['terminal'],
  terminals: ['terminal ls'],
  sessions: ['terminal ls'],
  zip: ['export --format zip'],
  save: ['export'],
  setup: ['doctor'],
  init: ['doctor'],
};

/** Notes for words that need more explanation than the name of a command. */
const NOTES: Readonly<Record<string, string>> = {
  login: 'Engines also use the API keys in your environment; tacho engines shows whether they are signed in.',
};

/** The command to type instead of an unknown word; null without a suggestion. */
export function suggestCommand(word: string, rest: readonly string[]): string | null {
  const guess = word.toLowerCase();
  if (Object.hasOwn(GUESSES, guess)) {
    const lines = GUESSES[guess]!.map((command) => [`tacho ${command}`, ...commandWords(rest)].join(' '));
    const note = Object.hasOwn(NOTES, guess) ? `\n  ${NOTES[guess]}` : '';
    return `Did you mean: ${lines.join(', or: ')}${note}`;
  }
  return isProgram(word) ? `To record a command: ${commandLine(['tacho', 'run', word, ...rest])}` : null;
}

function commandWords(words: readonly string[]): string[] {
  return words.length === 0 ? [] : [commandLine(words)];
}
