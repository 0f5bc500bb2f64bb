import type { RunRecord } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';
import { searchableText } from './searchable-text.ts';
import { readTextPage } from './text-page.ts';

/** The text of a run is in rows `key << PAGE_BITS` and following of `words`. */
export const PAGE_BITS = 10;
/** Text after this many pages, at least 31 MiB, is not searched. The rest is for screens. */
const MAX_PAGES = (1 << PAGE_BITS) - 32;
/** Limit for prompt and command, which begin every page: their words are found together with any others. */
const TITLE_CHARACTERS = 64 * 1024;
export const REPEATED_CHARACTERS = 2048;

interface Reading {
  key: number;
  record: string;
  page: number;
  page_from: number;
  page_seq: number;
  read_to: number;
}

/** Adds the next page of a run's conversation to the index; true when more may follow. */
export function indexNextPage(database: Database, runId: string, conversationFile: string): boolean {
  const reading = database.get<Reading>(
    'SELECT key, record, page, page_from, page_seq, read_to FROM runs JOIN records USING (key) WHERE run_id = ?',
    runId,
  );
  if (!reading) return false; // The run was removed meanwhile.
  const found = readTextPage(conversationFile, reading.page_from, reading.page_seq);
  if (found === null) {
    database.transaction(() => readWordsAgain(database, reading.key));
    return true;
  }
  if (found.to === reading.read_to) return false;
  const { key, page } = reading;
  database.transaction(() => {
    if (found.text !== '' || page === 0) {
      const title = titleOf(JSON.parse(reading.record)).slice(0, page === 0 ? TITLE_CHARACTERS : REPEATED_CHARACTERS);
      database.run(
        `INSERT OR REPLACE INTO words (rowid, text) VALUES ((? << ${PAGE_BITS}) + ?, ?)`,
        key,
        page,
        searchableText(`${title}\n${found.text}`),
      );
    }
    database.run('UPDATE runs SET read_to = ? WHERE key = ?', found.to, key);
    if (!found.full || page === MAX_PAGES - 1) return;
    const next = found.text === '' ? page : page + 1;
    const place = [next, found.to, found.seq] as const;
    database.run('UPDATE runs SET page = ?, page_from = ?, page_seq = ? WHERE key = ?', ...place, key);
  });
  return found.full;
}

/** The prompt or command of a run. */
export function titleOf({ request, launch, command }: Pick<RunRecord, 'request' | 'launch' | 'command'>): string {
  const asked = typeof request === 'object' ? request.prompt : request;
  return [asked ?? launch?.prompt ?? '', ...command].join('\n');
}

/** Removes the text and the read position. */
export function readWordsAgain(database: Database, key: number): void {
  removeWords(database, key);
  database.run(
    `UPDATE runs SET page = 0, page_from = 0, page_seq = 0, read_to = -1, screens = 0, stamp = '' WHERE key = ?`,
    key,
  );
}

export function removeWords(database: Database, key: number): void {
  const { page: last = -1, screens = 0 } =
    database.get<{ page: number; screens: number }>('SELECT page, screens FROM runs WHERE key = ?', key) ?? {};
  for (let page = 0; page <= last; page++) {
    database.run(`DELETE FROM words WHERE rowid = (? << ${PAGE_BITS}) + ?`, key, page);
  }
  for (let page = 1; page <= screens; page++) {
    database.run(`DELETE FROM words WHERE rowid = ((? + 1) << ${PAGE_BITS}) - ?`, key, page);
  }
}
