import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FilesAtEvent } from '../../../src/agent/fork/files-at.ts';
import { restoreFiles } from '../../../src/agent/fork/restore-files.ts';
import { createFileKeeper } from '../../../src/agent/run/file-keeper.ts';
import { Vault } from '../../../src/agent/wal/index.ts';
import type { AgentEvent } from '../../../src/protocol/index.ts';
import { WorkspaceFiles } from '../../../src/tools/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { removeFolder } from '../../support/tacho.ts';
import { treeOf } from './tree.ts';

const name = fc.constantFrom('a', 'b', 'c', 'a/a', 'a/b', 'b/a', 'a/b/c', 'c/.git/x', 'a/node_modules/y');
const change = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), name, text: fc.constantFrom('', 'x', 'y', 'xy') }),
  fc.record({ kind: fc.constantFrom('remove' as const, 'folder' as const), name }),
  fc.record({ kind: fc.constant('mode' as const), name, mode: fc.constantFrom(0o600, 0o644, 0o755, 0o700) }),
  fc.record({ kind: fc.constantFrom('link' as const, 'move' as const), name, to: name }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
const step = fc.record({ byTool: fc.boolean(), changes: fc.array(change, { maxLength: 4 }) });

/** As a program would; what is impossible is left out. */
function apply(root: string, change: Change): void {
  const file = path.join(root, change.name);
  try {
    switch (change.kind) {
      case 'write':
        fs.mkdirSync(path.dirname(file), { recursive: true });
        fs.writeFileSync(file, change.text);
        return;
      case 'remove':
        fs.rmSync(file, { recursive: true });
        return;
      case 'folder':
        fs.mkdirSync(file, { recursive: true });
        return;
      case 'mode':
        if (!fs.lstatSync(file).isSymbolicLink()) fs.chmodSync(file, change.mode);
        return;
      case 'link':
        fs.symlinkSync(change.to, file);
        return;
      case 'move':
        fs.renameSync(file, path.join(root, change.to));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

async function applyByTool(files: WorkspaceFiles, change: Change): Promise<void> {
  if (change.kind === 'write') await files.write(change.name, change.text).catch(() => {});
  else if (change.kind === 'remove') await files.remove(change.name).catch(() => {});
}

it('whatever calls do to a workspace, it can be had again as it was after each of them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(change, { maxLength: 5 }),
      fc.array(step, { minLength: 1, maxLength: 6 }),
      async (first, steps) => {
        const base = fs.mkdtempSync(path.join(os.tmpdir(), 'tacho-restore-'));
        const root = path.join(base, 'work');
        fs.mkdirSync(root);
        const vault = Vault.openToWrite(path.join(base, 'vault'), { create: true });
        try {
          for (const change of first) apply(root, change);
          const keeper = createFileKeeper({ vault, workspaceRoot: root });
          const trees = [treeOf(root)];
          const events: AgentEvent<'tool_call_finished'>[] = [];
          for (const [index, { byTool, changes }] of steps.entries()) {
            const call = await keeper.begin({ id: `${index}`, usesCommands: !byTool });
            const files = new WorkspaceFiles(root, { onChange: (change) => call.note(change) });
            for (const change of changes) byTool ? await applyByTool(files, change) : apply(root, change);
            const outcome = await call.end();
            expect(outcome.incomplete).toBeUndefined();
            const data = { call_id: `${index}`, result: {}, ...outcome };
            events.push({ type: 'tool_call_finished', seq: index + 1, data } as never);
            trees.push(treeOf(root));
          }
          for (const [at, tree] of trees.entries()) {
            const to = path.join(base, `at-${at}`);
            fs.mkdirSync(to);
            const files = new FilesAtEvent(at, vault);
            for (const event of events) files.push(event);
            const { notRestored } = await restoreFiles({ from: root, to, files, vault });
            expect(treeOf(to), `after call ${at}`).toEqual(tree);
            expect(notRestored).toEqual([]);
          }
        } finally {
          vault.close();
          removeFolder(base);
        }
      },
    ),
    { numRuns: proofSize({ small: 60, full: 3000 }) },
  );
});
