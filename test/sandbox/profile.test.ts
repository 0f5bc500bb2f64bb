import { expect, test } from 'vitest';
import { SANDBOX_PROFILES, sandboxProfile } from '../../src/sandbox/index.ts';

test('each profile has its own network by default', () => {
  const networks = SANDBOX_PROFILES.map((profile) => [profile, sandboxProfile(profile).network]);
  expect(networks).toEqual([
    ['none', 'on'],
    ['dev', 'on'],
    ['balanced', 'off'],
    ['prod', 'off'],
  ]);
});

test('dev and balanced take either network', () => {
  for (const profile of ['dev', 'balanced'] as const) {
    for (const network of ['on', 'off'] as const)
      expect(sandboxProfile(profile, { network })).toMatchObject({ network });
  }
});

test('prod rejects a network, and none rejects to be without one', () => {
  expect(() => sandboxProfile('prod', { network: 'on' })).toThrow(
    expect.objectContaining({ code: 'INVALID_PARAMS', facts: { profile: 'prod' } }),
  );
  expect(() => sandboxProfile('none', { network: 'off' })).toThrow(expect.objectContaining({ code: 'INVALID_PARAMS' }));
  expect(sandboxProfile('prod', { network: 'off' }).network).toBe('off');
});

test('an unknown profile is rejected with the known ones', () => {
  const open = () => sandboxProfile('strict' as 'prod');
  expect(open).toThrow(expect.objectContaining({ message: 'unknown sandbox profile "strict"' }));
  expect(open).toThrow(expect.objectContaining({ fix: expect.stringContaining('balanced') }));
});

test('profiles become stricter in their order', () => {
  const [none, dev, balanced, prod] = SANDBOX_PROFILES.map((profile) => sandboxProfile(profile));
  expect([none!.view, dev!.view, balanced!.view, prod!.view]).toEqual([
    'everything',
    'machine',
    'restricted',
    'restricted',
  ]);
  expect([none!.repository, dev!.repository, balanced!.repository, prod!.repository]).toEqual([
    'writable',
    'guarded',
    'guarded',
    'read-only',
  ]);
  expect(Object.keys(prod!.limits).length).toBeGreaterThan(0);
});
