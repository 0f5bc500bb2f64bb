import fs, { openAsBlob } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, test } from 'vitest';
import yazl from 'yazl';
import type { FcmpMessage, RaspEvent } from '../../src/protocol/index.ts';
import { runFolderAt, zipRun } from '../../src/recording/index.ts';
import type { BrokenLine } from '../../studio/source/archive/read-log.ts';
import { type ArchiveSource, archiveSource } from '../../studio/source/archive-source.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { IMPORT_CODEX, recordings } from '../support/recordings.ts';
import { type Sandbox, sandbox } from '../support/tacho.ts';

const PROGRAM =
  'printf "one\\ntwo\\nthree two\\n"; printf "broken\\n" >&2; printf "new\\n" > made.txt; cat > /dev/null';

const recording = recordings();

async function recorded(program = PROGRAM): Promise<{ box: Sandbox; zip: string }> {
  const { box } = await recording(['run', '--', 'sh', '-c', program], { input: 'typed\n' });
  return { box, zip: await exported(box) };
}

async function exported(box: Sandbox): Promise<string> {
  const zip = path.join(box.home, `${fs.readdirSync(box.home).length}.zip`);
  await pipeline(await zipRun(runFolderAt(path.dirname(box.audit()))), fs.createWriteStream(zip));
  return zip;
}

async function opened(zip: string): Promise<{ source: ArchiveSource; broken: BrokenLine[] }> {
  const broken: BrokenLine[] = [];
  return { source: await archiveSource(await openAsBlob(zip), { onBroken: (line) => broken.push(line) }), broken };
}

async function read(source: ArchiveSource): Promise<{ events: RaspEvent[]; messages: FcmpMessage[]; head: number }> {
  const found = { events: [] as RaspEvent[], messages: [] as FcmpMessage[], head: 0 };
  const handlers = {
    onOpened: (head: number) => {
      found.head = head;
    },
    onEvents: (events: RaspEvent[]) => found.events.push(...events),
    onMessages: (messages: FcmpMessage[]) => found.messages.push(...messages),
    onRetry: () => {},
  };
  await source.follow(handlers, new AbortController().signal);
  return found;
}

function zipOf(entries: Record<string, string | Buffer>, options: { compress?: boolean } = {}): Promise<Blob> {
  const zip = new yazl.ZipFile();
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name, options);
  zip.end();
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    zip.outputStream.on('data', (part: Buffer) => parts.push(part));
    zip.outputStream.on('end', () => resolve(new Blob([Buffer.concat(parts)])));
    zip.outputStream.on('error', reject);
  });
}

const problemOf = (blob: Blob) =>
  archiveSource(blob).then(
    () => null,
    (error) => error.problem,
  );

test('reads an exported run with all its events, bytes, times and files', async () => {
  const { box } = await recorded();
  const zip = path.join(box.home, 'exported.zip');
  await box.tacho(['export', 'last', '--format', 'zip', '-o', zip]);
  const { source, broken } = await opened(zip);
  const run = await source.run();
  expect(run).toMatchObject({ run_id: box.runIds()[0], status: 'succeeded', attempt: 1, engine: 'text' });

  const { events, messages, head } = await read(source);
  expect(events).toEqual(box.events());
  expect(head).toBe(events.length);
  expect(broken).toEqual([]);
  expect(messages.at(-1)!.type).toBe('conversation.completed');

  const stdout = fs.readFileSync(path.join(box.audit(), 'stdout.1.log'));
  const part = await source.raw('stdout', 1, { from: 4, to: 8 });
  expect(part).toEqual({ bytes: new Uint8Array(stdout.subarray(4, 8)), from: 4, total: stdout.length });
  expect((await source.raw('stdout', 1, { from: 900, to: 999 })).bytes).toHaveLength(0);
  await expect(source.raw('stdout', 2, { from: 0, to: 9 })).rejects.toMatchObject({ code: 'ATTEMPT_NOT_FOUND' });

  const search = await source.searchRaw('stdout', 1, 'two', 0);
  expect(search.matches.map(({ byte_from, line }) => [byte_from, line.line, line.text])).toEqual([
    [4, 2, 'two'],
    [14, 3, 'three two'],
  ]);
  const { lines } = await source.lines('stdout', 1, 5);
  expect(lines.map(({ line, byte_from, text }) => [line, byte_from, text])).toEqual([
    [1, 0, 'one'],
    [2, 4, 'two'],
    [3, 8, 'three two'],
  ]);

  const timing = await source.timing(1, 0);
  expect(timing.bytes).toMatchObject({ stdout: stdout.length, stderr: 7 });
  expect(timing.bytes.pty).toBe(fs.statSync(path.join(box.audit(), 'pty-output.1.log')).size);
  expect(timing.total).toBe(timing.chunks.length);
  expect(timing.chunks.filter(({ stream }) => stream === 'stderr').at(-1)!.byte_to).toBe(7);

  expect((await source.attempt(1)).exit_code).toBe(0);
  const diff = await source.files(1);
  expect(diff.created.map(({ path: name }) => name)).toEqual(['made.txt']);
  const content = await source.fileContent(diff.created[0]!.after_blob!);
  expect(new TextDecoder().decode(content)).toBe('new\n');
  await expect(source.fileContent('../../.run.json')).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a run of an agent has its recorded conversation', async () => {
  const { box } = await recording(IMPORT_CODEX);
  const { source } = await opened(await exported(box));
  const kept = fs.readFileSync(path.join(box.audit(), 'conversation.jsonl'), 'utf8').trimEnd().split('\n');
  expect((await read(source)).messages).toEqual(kept.map((line) => JSON.parse(line)));
});

test('a run with a reply shows its first request', async () => {
  const box = sandbox();
  const env = fakeEngine('codex', 'codex-asks.mjs');
  await box.tacho(['run', 'codex', '--mode', 'interactive', '--', 'ask me something'], { env });
  await box.tacho(['resume', 'last', 'the blue one'], { env });
  const { source } = await opened(await exported(box));
  expect(await source.run()).toMatchObject({ attempt: 2, prompt: 'ask me something' });
});

test('the page checks the seal like tacho verify', async () => {
  const { box, zip } = await recorded();
  const { source } = await opened(zip);
  const intact = await source.verify();
  expect(intact).toMatchObject({ verdict: 'intact', problems: [] });
  const verified = await box.json<{ checked: { events: number; files: number; bytes: number; attempts: number } }>([
    'verify',
    'last',
  ]);
  expect(intact.checked).toEqual(verified.checked);
  expect(intact.checked.signatures).toBe(1);

  const audit = box.audit();
  const change = async (file: string, from: string, to: string) => {
    const at = path.join(audit, file);
    const before = fs.readFileSync(at);
    fs.writeFileSync(at, before.toString('latin1').replace(from, to), 'latin1');
    const verdict = await (await opened(await exported(box))).source.verify();
    fs.writeFileSync(at, before);
    return verdict;
  };
  expect(await change('stdout.1.log', 'two', 'TWO')).toMatchObject({
    verdict: 'changed',
    problems: [{ kind: 'changed', path: 'stdout.1.log' }],
  });
  expect(await change('events.jsonl', 'made.txt', 'mode.txt')).toMatchObject({
    verdict: 'changed',
    problems: [{ kind: 'chain', path: 'events.jsonl', line: expect.any(Number) }],
  });
  expect(await change('seal.1.json', '"sealed_at": "2', '"sealed_at": "1')).toMatchObject({
    verdict: 'changed',
    problems: [{ kind: 'signature', path: 'seal.1.json' }],
  });
  fs.rmSync(path.join(audit, 'seal.1.json'));
  const unsealed = await (await opened(await exported(box))).source.verify();
  expect(unsealed).toMatchObject({ verdict: 'incomplete', problems: [{ kind: 'incomplete', path: 'seal.1.json' }] });
});

test('a truncated line ends the events, and is reported', async () => {
  const { box } = await recorded();
  const log = path.join(box.audit(), 'events.jsonl');
  const whole = box.events();
  fs.truncateSync(log, fs.statSync(log).size - 10);
  const { source, broken } = await opened(await exported(box));
  const { events } = await read(source);
  expect(events).toEqual(whole.slice(0, -1));
  const shown = whole.length - 1;
  expect(broken).toEqual([{ file: 'events.jsonl', line: whole.length, why: 'incomplete', shown }]);
  expect((await source.verify()).verdict).not.toBe('intact');
});

test('a line that is not an event ends the events, and is reported', async () => {
  const { box } = await recorded();
  const log = path.join(box.audit(), 'events.jsonl');
  const lines = fs.readFileSync(log, 'utf8').split('\n');
  const brokenWith = async (line: string) => {
    fs.writeFileSync(log, [lines[0], line, ...lines.slice(2)].join('\n'));
    const { source, broken } = await opened(await exported(box));
    expect((await read(source)).events).toHaveLength(1);
    return broken[0]!.why;
  };
  expect(await brokenWith('{"seq":2}')).toBe('unreadable');
  expect(await brokenWith(lines[2]!)).toBe('unreadable');
});

test('uncompressed files are read in place', async () => {
  const { box } = await recorded('i=0; while [ $i -lt 3000 ]; do echo "line $i"; i=$((i+1)); done');
  const run = path.dirname(box.audit());
  const entries: Record<string, Buffer> = {};
  for (const name of fs.readdirSync(run, { recursive: true, encoding: 'utf8' })) {
    const file = path.join(run, name);
    if (fs.statSync(file).isFile()) entries[`kept/${path.basename(run)}/${name}`] = fs.readFileSync(file);
  }
  const source = await archiveSource(await zipOf(entries, { compress: false }));
  const { bytes } = await source.raw('stdout', 1, { from: 14_000, to: 14_009 });
  expect(new TextDecoder().decode(bytes)).toBe(
    fs.readFileSync(path.join(box.audit(), 'stdout.1.log'), 'utf8').slice(14_000, 14_009),
  );
  expect((await source.searchRaw('stdout', 1, 'line 29', 0)).matches).toHaveLength(111);
  expect((await source.lines('stdout', 1, 14_000)).lines).toHaveLength(41);
  expect((await source.verify()).verdict).toBe('intact');
});

test('a file that is not an archive of a run is refused with a reason', async () => {
  expect(await problemOf(new Blob(['just some text']))).toEqual({ kind: 'not_a_zip' });
  expect(await problemOf(new Blob([]))).toEqual({ kind: 'not_a_zip' });
  expect(await problemOf(await zipOf({ 'notes/read.me': 'hello' }))).toEqual({ kind: 'no_run' });
  const two = await zipOf({ 'a/.run.json': '{}', 'b/.run.json': '{}' });
  expect(await problemOf(two)).toEqual({ kind: 'several_runs', count: 2 });
  const newer = '{"format":"tacho-run/9","unlike":"anything"}';
  expect(await problemOf(await zipOf({ 'a/.run.json': newer }))).toEqual({
    kind: 'newer',
    format: 'tacho-run/9',
    known: 'tacho-run/1',
  });
  expect(await problemOf(await zipOf({ 'a/.run.json': '{' }))).toMatchObject({ kind: 'damaged', file: '.run.json' });

  const { box, zip } = await recorded();
  const whole = fs.readFileSync(zip);
  expect(await problemOf(new Blob([whole.subarray(0, whole.length - 40)]))).toMatchObject({ kind: 'damaged' });
  const record = fs.readFileSync(path.join(path.dirname(box.audit()), '.run.json'));
  expect(await problemOf(await zipOf({ 'x/.run.json': record }))).toBeNull();
});

test('an entry larger than its declared size is not unpacked', async () => {
  const { zip } = await recorded();
  const bytes = fs.readFileSync(zip);
  const name = '.audit/meta.1.json';
  const central = bytes.lastIndexOf(name);
  const header = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 1, 2]), central);
  bytes.writeUInt32LE(10, header + 24);
  const source = await archiveSource(new Blob([bytes]));
  await expect(source.attempt(1)).rejects.toMatchObject({ problem: { kind: 'damaged' } });
});
