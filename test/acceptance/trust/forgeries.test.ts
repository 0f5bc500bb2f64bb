import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VerificationAnswer } from '../../../src/protocol/index.ts';
import { archiveSource } from '../../../studio/source/archive-source.ts';
import { proofSize } from '../../support/proof-size.ts';
import { sharedService } from '../../support/service.ts';
import { openStudio } from '../../support/studio.ts';
import { removeFolder } from '../../support/tacho.ts';
import { ONE_OF_EACH_KIND, WITHOUT_KEY } from './forgeries.ts';
import { type RecordedPlace, recordPlace } from './recorded-place.ts';

const service = sharedService();
let place: RecordedPlace;
const zips = new Map<string, Blob>();

beforeAll(async () => {
  place = await recordPlace(service.home);
});
afterAll(() => removeFolder(place.kept));

/** The verdict of the page's archive reader; an archive that it cannot open counts as changed. */
async function asInThePage(zip: Blob): Promise<Pick<VerificationAnswer, 'verdict' | 'problems'>> {
  try {
    return await (await archiveSource(zip)).verify();
  } catch (error) {
    const problem = { kind: 'changed' as const, path: '.run.json', byte: null, line: null };
    return { verdict: 'changed', problems: [{ ...problem, message: (error as Error).message }] };
  }
}

/** Also checked with the page's reader: few, because it uses the same code and unpacks an archive each time. */
const IN_PAGE = [
  ...ONE_OF_EACH_KIND,
  ...WITHOUT_KEY.filter((_, index) => index % proofSize({ small: 12, full: 1 }) === 0),
].map(([what]) => what);

function expectNamed({ verdict, problems }: Pick<VerificationAnswer, 'verdict' | 'problems'>, named: string): void {
  expect(verdict).not.toBe('intact');
  expect(problems.map(({ path: name }) => name)).toContainEqual(expect.stringContaining(named));
}

describe('a record forged without the key', () => {
  test('is intact before the forgery', async () => {
    place.restore();
    expect(await place.verify()).toMatchObject({ verdict: 'intact', problems: [] });
    expect(await service.client.verify(place.runId)).toMatchObject({ verdict: 'intact', problems: [] });
    expect(await asInThePage(await bundle())).toMatchObject({ verdict: 'intact', problems: [] });
  });

  test.each(WITHOUT_KEY)('is reported by command, server and page: %s', async (what, named, forge) => {
    place.restore();
    await forge(place);
    const command = await place.verify();
    const served = await service.client.verify(place.runId);
    expectNamed(command, named);
    expect(served).toMatchObject({ verdict: command.verdict, problems: command.problems });
    if (!IN_PAGE.includes(what)) return;
    const zip = await bundle();
    zips.set(what, zip);
    expectNamed(await asInThePage(zip), named);
  });

  test('is reported by the page in a browser', async () => {
    const studio = await openStudio({ url: service.url, token: '' }, '/open');
    for (const [what, named] of proofSize({ small: ONE_OF_EACH_KIND, full: WITHOUT_KEY })) {
      expect(await checkedInPage(studio.page, zips.get(what)!), what).toContain(named);
    }
  });
});

async function bundle(): Promise<Blob> {
  return new Response(await service.client.bundle(place.runId)).blob();
}

/** Opens an archive in the page, checks its seal, and returns the page's result. */
async function checkedInPage(page: Page, zip: Blob): Promise<string> {
  const file = path.join(place.kept, 'forged.zip');
  fs.writeFileSync(file, Buffer.from(await zip.arrayBuffer()));
  await page.reload();
  await page.locator('input[type=file]').setInputFiles(file);
  const check = page.getByRole('button', { name: 'Check the seal' });
  const refused = page.locator('.open-problem');
  await check.or(refused).first().waitFor();
  if (await refused.isVisible()) return `.run.json: ${await refused.textContent()}`;
  await check.click();
  const result = page.locator('.seal-result');
  await result.waitFor();
  expect(await result.getAttribute('data-verdict')).not.toBe('intact');
  return (await result.textContent())!;
}
