import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createPolicy } from '../../src/approvals/index.ts';

const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/policy.md'), 'utf8');

test('the policy judges the lines of its page as the page says', async () => {
  const [, table] = /<!-- lines -->\n([\s\S]*?)<!-- \/lines -->/.exec(page)!;
  const rows = Array.from(table!.matchAll(/^\| `(.*?)` \| (allow|ask|deny) \|/gm), ([, line, decision]) => {
    return { line: line!.replaceAll('\\|', '|'), decision };
  });
  expect(rows.length).toBeGreaterThan(10);
  const policy = await createPolicy({ workspaceRoot: '/srv/project' });
  const judged = rows.map(({ line }) => {
    const actions = [{ kind: 'shell', line, cwd: '/srv/project' } as const];
    return { line, decision: policy.evaluate({ tool: 'shell_command', actions }).decision };
  });
  expect(judged).toEqual(rows);
});

test('the examples of commands that match loosely do', async () => {
  await createPolicy({
    workspaceRoot: '/srv/project',
    rules: [
      { decision: 'deny', command: ['rm', '-rf'], match: ['rm x --force -r'] },
      { decision: 'deny', command: ['git', 'push', '--force'], match: ['git -C x push origin --force'] },
      { decision: 'allow', command: ['npm', 'test'], not_match: ['npm --prefix x test', './npm test', 'npm run x'] },
    ],
  });
});
