import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SinceAnswer } from '../../../src/protocol/index.ts';
import { proofSize } from '../../support/proof-size.ts';
import { sharedService } from '../../support/service.ts';
import { openStudio } from '../../support/studio.ts';
import { removeFolder } from '../../support/tacho.ts';
import { WITH_KEY } from './forgeries-with-key.ts';
import { type RecordedPlace, recordPlace } from './recorded-place.ts';

const service = sharedService();
let place: RecordedPlace;
let head: string;

beforeAll(async () => {
  place = await recordPlace(service.home);
  head = (await place.tacho(['ledger', 'head'])).stdout.trim();
});
afterAll(() => removeFolder(place.kept));

async function since(): Promise<SinceAnswer> {
  const { stdout } = await place.tacho(['verify', '--since', head, '--deep', '--json']);
  return JSON.parse(stdout) as SinceAnswer;
}

describe('a data folder forged with the key, checked against an earlier ledger head', () => {
  test('is intact before the forgery', async () => {
    place.restore();
    const intact = { verdict: 'intact', problems: [], checked: { seals: 3 } };
    expect(await since()).toMatchObject(intact);
    expect(await service.client.verifySince(head, { deep: true })).toMatchObject(intact);
    expect(await service.client.ledgerHead()).toBe(head);
  });

  test.each(WITH_KEY)('is reported by command and server: %s', async (_, said, forge) => {
    place.restore();
    await forge(place);
    const command = await since();
    expect(command).toMatchObject({ verdict: 'changed', code: 'VERIFY_FAILED' });
    expect(command.problems.map(({ message }) => message)).toContainEqual(expect.stringMatching(said));
    expect(await service.client.verifySince(head, { deep: true })).toMatchObject({
      verdict: 'changed',
      problems: command.problems,
    });
  });

  test('is reported by the page', async () => {
    const { page } = await openStudio(service);
    await page.getByRole('button', { name: 'Ledger' }).click();
    await page.getByRole('textbox', { name: 'Ledger head' }).fill(head);
    await page.getByLabel('Also recompute every hash').check();
    const some = WITH_KEY.filter((_, index) => index % 4 === 0);
    for (const [what, said, forge] of proofSize({ small: some, full: WITH_KEY })) {
      place.restore();
      await forge(place);
      await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click();
      const result = page.locator('.seal-result');
      await result.getByText(said).first().waitFor();
      expect(await result.getAttribute('data-verdict'), what).toBe('changed');
    }
    place.restore();
    await page.getByRole('dialog').getByRole('button', { name: 'Verify' }).click();
    await page.getByText('Intact: 3 seals as listed').waitFor();
  });
});

test('a pruned run is named, but not as a problem', async () => {
  place.restore();
  await place.tacho(['prune', '--older-than', '1ms', '--keep', '1']);
  expect(await since()).toMatchObject({ verdict: 'intact', removed: [{ run_id: place.runId }] });
});
