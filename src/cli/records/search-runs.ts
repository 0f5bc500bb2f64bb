import path from 'node:path';
import { createClient } from '../../client/index.ts';
import type { RunStatus } from '../../protocol/index.ts';
import { findServer, loadTokens, openRunIndex, prepareDataHome, type RunContext } from '../../runs/index.ts';

export interface RunSearch {
  q: string;
  status: RunStatus | undefined;
  limit: number;
}

/** The largest page of the server. */
const MAX_PAGE = 500;

/** Ids of the runs whose text has all words, newest first. A running server keeps the index, so it is asked. */
export async function searchRuns({ home }: RunContext, { q, status, limit }: RunSearch): Promise<string[]> {
  const server = findServer(home);
  if (server) {
    const client = createClient({ url: server.url, token: loadTokens(home.root).admin });
    const ids: string[] = [];
    for await (const run of client.eachRun({ q, status, limit: Math.min(limit, MAX_PAGE) })) {
      if (ids.push(run.run_id) === limit) break;
    }
    return ids;
  }
  prepareDataHome(home);
  const { openTerminal } = await import('../../runtime/open-terminal.ts');
  const index = await openRunIndex({ file: path.join(home.root, 'index.db'), runsRoot: home.runs, openTerminal });
  try {
    return index.list({ q, status, limit }).records.map(({ run_id }) => run_id);
  } finally {
    await index.close();
  }
}
