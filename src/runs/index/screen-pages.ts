import { hasEnded, type RunRecord } from '../../protocol/index.ts';
import { hasConversation } from '../../protocol/run/has-conversation.ts';
import type { OpenTerminal, RunFolder } from '../../recording/index.ts';
import type { Database } from '../../storage/index.ts';
import { hasScreen, shownText } from '../replay/shown-text.ts';
import { searchableText } from './searchable-text.ts';
import { PAGE_BITS, REPEATED_CHARACTERS, titleOf } from './word-pages.ts';

const PAGE_CHARACTERS = 32 * 1024;
/** Text after this many pages, one MiB, is not searched. */
const MAX_SCREEN_PAGES = 32;

/** Whether what the terminal of a run showed belongs into the index: it has ended, and has no conversation. */
export function isSearchedByScreen(record: RunRecord): boolean {
  return hasEnded(record) && !hasConversation(record);
}

/**
 * Adds the text of full-screen programs to the index. It has the last rows of the run in `words`, counted backwards,
 * so that pages of a conversation can be added at the beginning.
 */
export function* indexScreens(
  database: Database,
  folder: RunFolder,
  record: RunRecord,
  open: OpenTerminal,
): Generator<void> {
  let pages = 0;
  for (const text of screenPages(folder, record, open)) {
    if (text === null) {
      yield;
      continue;
    }
    const page = pages++;
    database.transaction(() => {
      const run = database.get<{ key: number }>('SELECT key FROM runs WHERE run_id = ?', record.run_id);
      if (!run) return; // The run was removed meanwhile.
      const title = titleOf(record).slice(0, REPEATED_CHARACTERS);
      database.run(
        `INSERT OR REPLACE INTO words (rowid, text) VALUES (((? + 1) << ${PAGE_BITS}) - 1 - ?, ?)`,
        ...[run.key, page, searchableText(`${title}\n${text}`)],
      );
      database.run('UPDATE runs SET screens = max(screens, ?) WHERE key = ?', pages, run.key);
    });
    yield;
  }
}

/** Null between two pages: nothing is complete yet. */
function* screenPages(folder: RunFolder, record: RunRecord, open: OpenTerminal): Generator<string | null> {
  let text = '';
  let pages = 0;
  for (let attempt = 1; attempt <= record.attempt; attempt++) {
    if (!hasScreen(folder, attempt)) continue;
    for (const piece of shownText(folder, attempt, open)) {
      text += piece.text;
      if (text.length < PAGE_CHARACTERS) {
        yield null;
        continue;
      }
      yield text;
      text = '';
      if (++pages === MAX_SCREEN_PAGES) return;
    }
  }
  if (text !== '') yield text;
}
