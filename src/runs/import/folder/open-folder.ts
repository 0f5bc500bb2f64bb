import { type EngineProfile, findEngine, guessEngine, listEngines } from '../../../engines/index.ts';
import { readRegularFile } from '../../../files/index.ts';
import { type RunMode, TachoError } from '../../../protocol/index.ts';
import { HEAD_BYTES } from '../detect-format.ts';
import type { ImportRequest } from '../import-run.ts';
import { type AttemptFiles, findAttempts } from './attempt-files.ts';
import { FolderAttempt } from './folder-attempt.ts';
import { type ForeignMeta, NO_META, promptOf, readForeignMeta } from './foreign-meta.ts';

interface Wanted {
  /** Null: as the attempts say, or as their output shows. */
  engine: EngineProfile | null;
  mode: RunMode | null;
  requireMarker: boolean;
}

type Attempts = [ImportRequest, ...ImportRequest[]];

/** All attempts in a folder that another recorder wrote, open and checked. */
export function openFolder(folder: string, { engine, mode, requireMarker }: Wanted): Attempts {
  const found = findAttempts(folder).map(({ files }) => ({ files, meta: metaOf(files) }));
  const metas = found.map(({ meta }) => meta);
  const chosen = mode ?? (isInteractive(metas) ? 'interactive' : 'auto');
  const opened: ImportRequest[] = [];
  try {
    for (const { files, meta } of found) {
      const source = FolderAttempt.open(files, meta);
      const profile = engine ?? namedEngine(metas) ?? printedBy(source) ?? findEngine('text')!;
      const prompt = promptOf(meta.command);
      const { session, showsPrompt } = readBeginning(source, profile);
      opened.push({
        profile,
        source,
        exit: meta.exit,
        mode: chosen,
        requireMarker,
        files: ['--run', folder],
        said: prompt !== null && profile.terminalBy === 'engine' && !showsPrompt ? prompt : null,
        session,
        claimed: meta.completion,
      });
    }
    return opened as Attempts;
  } catch (error) {
    for (const { source } of opened) source.close();
    throw error;
  }
}

/** A recorder of attempts that answer each other, or one that waited for an answer. */
function isInteractive(metas: readonly ForeignMeta[]): boolean {
  return metas.length > 1 || metas.some(({ completion }) => completion?.state === 'awaiting_user_input');
}

function namedEngine(metas: readonly ForeignMeta[]): EngineProfile | null {
  for (const { engine } of metas) {
    const profile = engine === null ? null : findEngine(engine);
    if (profile && profile.name !== 'terminal') return profile;
  }
  return null;
}

function printedBy(source: FolderAttempt): EngineProfile | null {
  return guessEngine(source.head(HEAD_BYTES), listEngines())?.profile ?? null;
}

/** What the beginning of a log says: the engine's session, and whether it has what the person said. */
function readBeginning(source: FolderAttempt, { name, parser }: EngineProfile) {
  const reader = parser.create({ attempt: 1, engine: name, origin: {}, imported: true });
  const drafts = [
    ...reader.push('stdout', source.head(HEAD_BYTES), 1),
    ...reader.end({ exit_code: null, signal: null, time: 1 }),
  ];
  return {
    session: drafts.find(({ correlation }) => correlation.session_id !== undefined)?.correlation.session_id ?? null,
    showsPrompt: drafts.some(({ event }) => event.type === 'interaction.reply.accepted'),
  };
}

function metaOf({ meta }: AttemptFiles): ForeignMeta {
  if (meta === null) return NO_META;
  let json: string;
  try {
    json = readRegularFile(meta);
  } catch (cause) {
    throw new TachoError('IMPORT_FAILED', `${meta} cannot be read: ${(cause as Error).message}`, {
      facts: { path: meta },
      cause,
      fix: 'Give a folder whose files are regular files.',
    });
  }
  // A damaged one is reported, and the attempt is read without it.
  return readForeignMeta(json) ?? { ...NO_META, isDamaged: true };
}
