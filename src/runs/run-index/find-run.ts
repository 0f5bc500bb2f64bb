import { type RunRecord, TachoError } from '../../protocol/index.ts';
import type { Database } from '../../storage/index.ts';

const MOST_CANDIDATES = 20;

interface Candidate {
  run_id: string;
  record: string;
}

/** The run somebody means: a run id or handle, or the beginning of either. Exact matches count before beginnings. */
export function findRun(database: Database, selector: string): RunRecord | null {
  const exact = select(database, 'run_id = ? OR handle = ?', selector, selector);
  const after = `${selector}\u{10ffff}`;
  const found =
    exact.length > 0 || selector.length < 2
      ? exact
      : select(
          database,
          '(run_id >= ? AND run_id < ?) OR (handle >= ? AND handle < ?)',
          ...[selector, after, selector, after],
        );
  if (found.length > 1) throw ambiguous(selector, found);
  return found[0] ? JSON.parse(found[0].record) : null;
}

function select(database: Database, where: string, ...values: string[]): Candidate[] {
  const sql = `SELECT run_id, record FROM runs JOIN records USING (key) WHERE ${where} ORDER BY key DESC LIMIT ?`;
  return database.all<Candidate>(sql, ...values, MOST_CANDIDATES + 1);
}

function ambiguous(selector: string, found: readonly Candidate[]): TachoError {
  const candidates = found.slice(0, MOST_CANDIDATES).map(({ run_id }) => run_id);
  const many = found.length > candidates.length ? `more than ${candidates.length}` : `${candidates.length}`;
  return new TachoError('RUN_AMBIGUOUS', `"${selector}" matches ${many} runs: ${candidates.join(', ')}`, {
    facts: { selector, candidates },
    fix: 'Use the whole run id.',
  });
}
