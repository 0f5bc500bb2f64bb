import { describe, expect, test } from 'vitest';
import { codex } from '../../../src/engines/codex/profile.ts';
import type { EngineProfile } from '../../../src/engines/index.ts';
import { compareVersions, profileForVersion, whyUnsupported } from '../../../src/runs/launch/engine-version.ts';

const profile: EngineProfile = {
  ...codex,
  older: [
    { before: '0.5.0', unsupported: 'has no JSON output' },
    { before: '1.10.0', start: ['old', '{prompt}'] },
  ],
};

test.each([
  ['1.0.0', '1.0.0', 0],
  ['1.9.0', '1.10.0', -1],
  ['2.0.0', '1.99.99', 1],
  ['0.1.2505172129', '0.2.0', -1],
  ['v22', '22.0.0', 0],
  ['1.10.0-beta.3', '1.10.0', 0],
])('%s compared with %s', (one, other, sign) => {
  expect(Math.sign(compareVersions(one, other))).toBe(sign);
});

describe('profileForVersion', () => {
  test.each(['1.10.0', '1.11.0', '99.0.0', null])('keeps the profile for %s', (version) => {
    expect(profileForVersion(profile, version)).toBe(profile);
  });

  test.each(['0.5.0', '1.0.152', '1.9.99'])('takes the arguments of older versions for %s', (version) => {
    const found = profileForVersion(profile, version);
    expect(found).toEqual({ ...profile, start: ['old', '{prompt}'] });
    expect(found.resume).toBe(codex.resume);
  });
});

test('a version is unsupported if the first entry that covers it says so', () => {
  expect(['0.4.9', '0.5.0', '1.10.0', null].map((version) => whyUnsupported(profile, version))).toEqual([
    'has no JSON output',
    null,
    null,
    null,
  ]);
});
