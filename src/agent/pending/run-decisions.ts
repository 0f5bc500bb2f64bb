import fs from 'node:fs';
import path from 'node:path';
import { ApprovalFolder } from '../../approvals/decisions/approval-folder.ts';
import { QuestionFolder } from '../../approvals/decisions/question-folder.ts';
import { type RunPaths, runPaths, Vault } from '../wal/index.ts';

export interface RunDecisions {
  approvals: ApprovalFolder;
  questions: QuestionFolder;
}

/**
 * What a run waits for, in files beside its log. Signed with the key of its vault, which neither tools nor commands can
 * read: what they, or anything else without it, put there does not count.
 */
export function decisionsIn(
  folder: string,
  { sign, now }: { sign(text: string): string; now?: (() => string) | undefined },
): RunDecisions {
  const settings = { sign, now };
  return {
    approvals: new ApprovalFolder(path.join(folder, 'approvals'), settings),
    questions: new QuestionFolder(path.join(folder, 'questions'), settings),
  };
}

/** Calls `use` with what a run waits for, whether or not a process holds it. Null if there is no such run. */
export function withDecisionsOf<T>(paths: RunPaths, use: (decisions: RunDecisions) => T): T | null {
  if (!fs.existsSync(paths.vault)) return null;
  const vault = Vault.openToRead(paths.vault);
  try {
    return use(decisionsIn(paths.folder, { sign: (text) => vault.sign(text) }));
  } finally {
    vault.close();
  }
}

/** Ids of approvals and questions begin with the id of their run. Null if this is not one of them. */
export function pathsOfId(workspaceRoot: string, id: string, kind: 'a' | 'q'): RunPaths | null {
  const [, runId] = new RegExp(`^([A-Za-z0-9][A-Za-z0-9._-]*)\\.${kind}\\d+$`).exec(id) ?? [];
  return runId === undefined || runId.length > 128 ? null : runPaths(workspaceRoot, runId);
}
