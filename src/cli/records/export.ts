import fs from 'node:fs';
import path from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Config } from '../../config/index.ts';
import { temporaryName } from '../../files/index.ts';
import { TachoError } from '../../protocol/index.ts';
import { hasConversation } from '../../protocol/run/has-conversation.ts';
import {
  asciicast,
  findRun,
  hasBareLineFeeds,
  playback,
  type RunFolder,
  readPtyHeader,
  readShownRecord,
  recordedText,
} from '../../recording/index.ts';
import { exportRecord, openJournal, type RunContext, whenSealed } from '../../runs/index.ts';
import type { ExportOptions } from '../commands/records.ts';
import { openContext } from '../context.ts';
import { writeOut } from '../output/write-out.ts';
import { chooseAttempt } from './attempt-choice.ts';
import { chatAsciicast, chatText, type ExportedRun, markdownTranscript } from './export-text.ts';
import { readHead } from './ledger.ts';

/** In pixels; the default size for viewers that do not choose another. */
const DISC_SIZE = 480;

export async function exportRun(selector: string, options: ExportOptions): Promise<void> {
  const context = openContext(options);
  const folder = findRun(context.home.runs, selector);
  const format = options.format ?? formatOf(options.output);
  const content = await open(folder, { ...options, format }, context);
  const file = options.output ?? (format === 'zip' ? `${folder.runId}.zip` : null);
  if (file === null) {
    for await (const bytes of content) await writeOut(process.stdout, bytes);
    return;
  }
  await writeFile(content, path.resolve(file));
  const bytes = fs.statSync(file).size;
  if (options.json) process.stdout.write(`${JSON.stringify({ file: path.resolve(file), format, bytes })}\n`);
  else process.stderr.write(`wrote ${file}\n`);
}

/** From the file name: demo.cast is an asciicast. Otherwise the whole record. */
function formatOf(output = ''): string {
  const formats: Record<string, string> = { '.cast': 'asciicast', '.txt': 'txt', '.svg': 'svg', '.md': 'md' };
  return formats[path.extname(output).toLowerCase()] ?? 'zip';
}

async function open(folder: RunFolder, options: ExportOptions, { config, home }: RunContext): Promise<Readable> {
  switch (options.format) {
    case 'zip':
      await whenSealed(folder, openJournal(folder, config), { recovers: false }).catch(() => {});
      return exportRecord(folder, home, { since: options.since === undefined ? undefined : readHead(options.since) });
    case 'md':
      return Readable.from(markdownTranscript(exportedRun(folder, options, config)));
    case 'txt': {
      const run = exportedRun(folder, options, config);
      const isChat = !options.raw && hasConversation(run.record);
      return Readable.from(isChat ? chatText(run) : shownText(folder, options.attempt));
    }
    case 'svg':
      return Readable.from(disc(folder, config));
    case 'asciicast': {
      const run = exportedRun(folder, options, config);
      const isChat = !options.raw && hasConversation(run.record);
      return Readable.from(isChat ? chatAsciicast(run) : recordedAsciicast(folder, options.attempt));
    }
    default:
      throw new TachoError('USAGE', `--format ${options.format} is not known`, {
        fix: 'Use md, txt, asciicast, svg or zip.',
      });
  }
}

function exportedRun(folder: RunFolder, { attempt }: ExportOptions, config: Config): ExportedRun {
  const only = attempt === undefined ? undefined : chooseAttempt(folder, attempt);
  return { folder, record: readShownRecord(folder), config, attempt: only };
}

/** The recorded bytes of a terminal. */
function recordedAsciicast(folder: RunFolder, chosen: string | undefined): Generator<string> {
  const attempt = chooseAttempt(folder, chosen);
  const header = readPtyHeader(folder, attempt);
  if (!header)
    throw new TachoError('EXPORT_FAILED', `attempt ${attempt} has no readable header`, {
      fix: 'See: tacho verify',
    });
  const addCarriageReturn = hasBareLineFeeds(folder, attempt);
  return asciicast(playback(folder, attempt), { header, title: folder.runId, addCarriageReturn });
}

/** What a terminal showed. */
async function* shownText(folder: RunFolder, chosen: string | undefined): AsyncGenerator<string> {
  const attempt = chooseAttempt(folder, chosen);
  const { openTerminal } = await import('../../runtime/open-terminal.ts');
  for (const { text } of recordedText(folder, attempt, openTerminal)) yield text;
}

/** The run as a disc, as in the Studio. */
async function* disc(folder: RunFolder, config: Config): AsyncGenerator<string> {
  const { addEvent, discSvg, emptyModel } = await import('../../record/index.ts');
  const model = emptyModel();
  for await (const events of openJournal(folder, config).read(folder.runId)) {
    for (const event of events) addEvent(model, event);
  }
  yield discSvg(model, { size: DISC_SIZE, title: folder.runId });
}

/** Written under a temporary name until complete, so that an interrupted export leaves no file. */
async function writeFile(content: Readable, file: string): Promise<void> {
  const temporary = temporaryName(file);
  try {
    await pipeline(content, fs.createWriteStream(temporary, { mode: 0o600, flags: 'wx' }) as Writable);
    fs.renameSync(temporary, file);
  } catch (cause) {
    fs.rmSync(temporary, { force: true });
    if (cause instanceof TachoError) throw cause;
    throw new TachoError('EXPORT_FAILED', `${file} could not be written: ${(cause as Error).message}`, { cause });
  }
}
