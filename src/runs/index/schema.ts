/**
 * The tables of the index. All content is derived from the run folders, so a file of another version is rebuilt instead
 * of migrated; a change here is still a new step, which gives the file its new version.
 *
 * `runs` is narrow, for filters; `records` has the whole record. A run's `key` is the order of lists (run-key.ts).
 * `words` has the text of run `key` in rows from `key << PAGE_BITS` on (word-pages.ts). There are no triggers: a
 * statement that fires one makes FTS5 write out its memory, which takes half the time of a rebuild.
 */
export const INDEX_STEPS = [
  `
CREATE TABLE runs (
  key INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL UNIQUE,
  handle TEXT NOT NULL,
  status TEXT NOT NULL,
  engine TEXT NOT NULL,
  priority INTEGER NOT NULL DEFAULT 0,
  queued_at TEXT,
  taken INTEGER NOT NULL DEFAULT 0,
  stamp TEXT NOT NULL DEFAULT '',
  page INTEGER NOT NULL DEFAULT 0,
  page_from INTEGER NOT NULL DEFAULT 0,
  page_seq INTEGER NOT NULL DEFAULT 0,
  read_to INTEGER NOT NULL DEFAULT -1
) STRICT;
CREATE INDEX runs_by_handle ON runs (handle);
CREATE INDEX runs_by_status ON runs (status);
CREATE INDEX runs_by_engine ON runs (engine);
CREATE INDEX runs_by_both ON runs (status, engine);
CREATE INDEX runs_queued ON runs (priority DESC, queued_at, key) WHERE queued_at IS NOT NULL AND taken = 0;

CREATE TABLE records (key INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT;

CREATE TABLE counts (
  status TEXT NOT NULL,
  engine TEXT NOT NULL,
  runs INTEGER NOT NULL,
  PRIMARY KEY (status, engine)
) STRICT, WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5 (
  text, content = '', contentless_delete = 1, prefix = '3',
  tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);

CREATE TABLE timers (
  run_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  due_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (run_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX timers_by_time ON timers (due_at);

CREATE TABLE state (complete INTEGER NOT NULL) STRICT;
INSERT INTO state VALUES (0);
`,
  // Queue and timers are derived from the records, and runs are found by their folders.
  `
DROP TABLE timers;
DROP TABLE state;
DROP INDEX runs_queued;
DROP INDEX runs_by_handle;
ALTER TABLE runs DROP COLUMN taken;
ALTER TABLE runs DROP COLUMN queued_at;
ALTER TABLE runs DROP COLUMN priority;
ALTER TABLE runs DROP COLUMN handle;
`,
  // Number of rows in `words` with the text of screens.
  'ALTER TABLE runs ADD COLUMN screens INTEGER NOT NULL DEFAULT 0;',
];
