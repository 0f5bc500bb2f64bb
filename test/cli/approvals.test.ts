import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/protocol/index.ts';
import { ApprovalStore, locateDataHome } from '../../src/runs/index.ts';
import { sandbox } from '../support/tacho.ts';

function boxWith(...ids: string[]) {
  const box = sandbox();
  const store = new ApprovalStore(locateDataHome({}, box.home));
  for (const approval_id of ids) {
    const run_id = '20261115T211924-demo-0e4fda30';
    store.request({ approval_id, run_id, summary: `delete\n${approval_id}\u001b[2J`, details: {} });
  }
  return { ...box, store };
}

describe('tacho approvals', () => {
  test('lists pending approvals, safe for the terminal, and as JSON', async () => {
    const { here, jsonHere } = boxWith('one.1', 'two.1');
    expect((await here(['approvals'])).stdout).toMatch(
      /^APPROVAL +RUN +ASKED +WANTS TO\none\.1 +0e4fda30 .*delete one\.1\n/,
    );
    const { approvals } = await jsonHere<{ approvals: Approval[] }>(['approvals']);
    expect(approvals.map(({ approval_id }) => approval_id)).toEqual(['one.1', 'two.1']);
    expect((await boxWith().here(['approvals'])).stdout).toBe('No approvals are pending.\n');
  });

  test('allows and denies by id, by id prefix, or the only pending one', async () => {
    const { here, store } = boxWith('one.1', 'two.1');
    expect((await here(['approvals', 'allow', 'one'])).stdout).toMatch(/^✔ approved: delete one\.1/);
    expect((await here(['approvals', 'deny', '--reason', 'not now'])).stdout).toMatch(/^✖ denied: delete two\.1/);
    expect(store.get('one.1')).toMatchObject({ status: 'approved', reason: null });
    expect(store.get('two.1')).toMatchObject({ status: 'denied', reason: 'not now' });
    const late = await here(['approvals', 'allow', 'two.1']);
    expect(late).toMatchObject({ code: 1, stdout: expect.stringMatching(/^– already denied: /) });
  });

  test('refuses an id that matches no approval or several', async () => {
    const { here } = boxWith('one.1', 'one.2');
    expect((await here(['approvals', 'allow'])).stderr).toContain('2 approvals are pending [USAGE]');
    expect((await here(['approvals', 'allow', 'one'])).stderr).toContain('the beginning of several approvals [USAGE]');
    expect((await here(['approvals', 'deny', 'x'])).stderr).toContain('there is no approval "x" [APPROVAL_NOT_FOUND]');
    expect((await boxWith().here(['approvals', 'deny'])).stderr).toContain(
      'no approval is pending [APPROVAL_NOT_FOUND]',
    );
  });
});
