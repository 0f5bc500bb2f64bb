/** A way in which a program tampers with its record. */
export interface Way {
  name: string;
  /** Bash. `R` is the run folder, `A` its `.audit`, `T` a folder elsewhere on the same disk. */
  script: string;
  /** It does not reach the record, so nothing is reported. Otherwise the recorder or `verify` reports it. */
  harmless?: true;
  /** The recorder may overwrite it, and the record is intact again at the end. */
  passing?: true;
}

/** Files that exist only after the program has ended, or not at all. */
const LATER = [
  'writes.1.jsonl',
  'conversation.jsonl',
  'parser_diagnostics.jsonl',
  'redactions.1.json',
  'meta.1.json',
  'fs-after.1.json',
  'fs-diff.1.json',
  'seal.1.json',
  'fd-trace.1.log',
];
const FORGED_META = '{"format":"tacho-meta/1","success":true,"exit_code":0,"forged":true}';

const pipes: Way[] = [
  ...LATER.map((name) => ({ name: `a pipe as ${name}`, script: `mkfifo "$A/${name}"` })),
  { name: 'a pipe in place of the log', script: 'rm "$A/events.jsonl"; mkfifo "$A/events.jsonl"' },
  { name: 'a pipe in place of the output', script: 'rm "$A/stdout.1.log"; mkfifo "$A/stdout.1.log"' },
  { name: 'a pipe in place of the first snapshot', script: 'rm "$A"/fs-before*; mkfifo "$A/fs-before.1.json"' },
  { name: 'a pipe as the run record', script: 'rm -f "$R/.run.json"; mkfifo "$R/.run.json"', passing: true },
  { name: 'a pipe as a later lock', script: 'mkfifo "$A/lock.9"' },
  { name: 'a pipe as the folder of contents', script: 'mkfifo "$A/blobs"; echo text > made' },
];

const links: Way[] = [
  { name: 'a link to a device as meta', script: 'ln -s /dev/zero "$A/meta.1.json"' },
  { name: 'a link to a device as the seal', script: 'ln -s /dev/zero "$A/seal.1.json"' },
  { name: 'a link to a device as the writes', script: 'ln -s /dev/zero "$A/writes.1.jsonl"' },
  { name: 'a link to a device as the run record', script: 'ln -sf /dev/zero "$R/.run.json"', passing: true },
  { name: 'a link elsewhere as the conversation', script: 'ln -s "$T/out" "$A/conversation.jsonl"' },
  { name: 'a link elsewhere in place of the audit folder', script: 'mv "$A" "$T/a"; ln -s "$T/a" "$A"' },
];

const kinds: Way[] = [
  { name: 'a device as a snapshot', script: 'mknod "$A/fs-after.1.json" c 1 5 || mkfifo "$A/fs-after.1.json"' },
  { name: 'a folder as meta', script: 'mkdir -p "$A/meta.1.json/x"' },
  { name: 'a folder as the seal', script: 'mkdir -p "$A/seal.1.json/x"' },
  { name: 'a folder as the diagnostics', script: 'mkdir -p "$A/parser_diagnostics.jsonl/x"' },
  { name: 'a folder as the run record', script: 'rm -f "$R/.run.json"; mkdir -p "$R/.run.json/x"', passing: true },
  { name: 'a giant as the writes', script: 'truncate -s 1T "$A/writes.1.jsonl"' },
  { name: 'a giant as the conversation', script: 'truncate -s 1T "$A/conversation.jsonl"' },
  { name: 'a giant as the run record', script: 'truncate -s 1T "$R/.run.json"', passing: true },
  { name: 'a giant as the output', script: 'truncate -s 1T "$A/stdout.1.log"' },
  { name: 'a giant as the log', script: 'truncate -s 1T "$A/events.jsonl"' },
];

const forgeries: Way[] = [
  { name: 'a forged meta', script: `echo '${FORGED_META}' > "$A/meta.1.json"` },
  { name: 'a forged seal', script: `echo '{"format":"tacho-seal/1"}' > "$A/seal.1.json"` },
  { name: 'a forged list of files', script: `echo '{"format":"tacho-fs-diff/1"}' > "$A/fs-diff.1.json"` },
  { name: 'another first snapshot', script: `echo '{}' > "$A/fs-before.1.json"` },
  { name: 'another output', script: 'echo forged > "$A/stdout.1.log"', passing: true },
  { name: 'an empty log', script: ': > "$A/events.jsonl"' },
];

const erasures: Way[] = [
  { name: 'rm -rf of the audit folder', script: 'rm -rf "$A"' },
  { name: 'rm -rf of the run folder', script: 'cd /; rm -rf "$R"' },
  { name: 'find -delete in the run folder', script: 'cd "$R" && find . -delete' },
  { name: 'git clean -fdx in the run folder', script: 'cd "$R" && git init -q . && git clean -qfdx' },
  { name: 'rm of the log', script: 'rm "$A/events.jsonl"' },
  { name: 'rm of the output', script: 'rm "$A"/std*' },
  { name: 'rm of the locks', script: 'rm "$A"/lock.*' },
  {
    name: 'a new audit folder in place of a removed one',
    script: 'rm -rf "$A"; mkdir "$A"; echo x > "$A/events.jsonl"',
  },
];

const moves: Way[] = [
  { name: 'mv of the audit folder', script: 'mv "$A" "$T/a"' },
  { name: 'a new audit folder in place of a moved one', script: 'mv "$A" "$T/a"; mkdir "$A"' },
  { name: 'mv of the run folder', script: 'mv "$R" "$T/r"' },
  {
    name: 'a new run folder in place of a moved one',
    script: 'mv "$R" "$T/r"; mkdir -p "$A"; echo {} > "$R/.run.json"',
  },
  { name: 'mv of the log', script: 'mv "$A/events.jsonl" "$T/e"' },
  { name: 'a copy in place of the output', script: 'cp "$A/stdout.1.log" "$T/o"; mv "$T/o" "$A/stdout.1.log"' },
];

const accidents: Way[] = [
  { name: 'git clean -fdx', script: 'git init -q . && git clean -qfdx', harmless: true },
  { name: 'find . -delete', script: 'find . -delete', harmless: true },
  { name: 'rm -rf .[!.]* *', script: 'touch .a b; rm -rf .[!.]* *', harmless: true },
];

export const WAYS: readonly Way[] = [...pipes, ...links, ...kinds, ...forgeries, ...erasures, ...moves, ...accidents];

/** One or two of each kind. */
export const FEW_WAYS = WAYS.filter(({ name }) =>
  [
    'a pipe as writes.1.jsonl',
    'a pipe as conversation.jsonl',
    'a pipe as the run record',
    'a forged meta',
    'a giant as the log',
    'a new audit folder in place of a moved one',
    'rm -rf of the audit folder',
    'mv of the run folder',
    'git clean -fdx',
  ].includes(name),
);

/** The program prints, tampers, prints again, and exits with 7. */
export function programOf({ script }: Way, { home, elsewhere }: { home: string; elsewhere: string }): string[] {
  const places = `R="${home}/runs/$TACHO_RUN_ID"; A="$R/.audit"; T="${elsewhere}"`;
  return ['bash', '-c', `${places}; echo before; { ${script}; } >&2; echo after; exit 7`];
}
