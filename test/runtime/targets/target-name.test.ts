import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sessionIdHere, splitSessionId } from '../../../src/runtime/targets/target-name.ts';

test('the id of a remote session contains its target and its id there', () => {
  const target = fc.stringMatching(/^(ssh|container):[A-Za-z0-9][A-Za-z0-9_.-]{0,20}$/);
  const session = fc.stringMatching(/^s-[0-9a-f]{12}$/);
  fc.assert(
    fc.property(target, session, (at, sessionId) => {
      expect(splitSessionId(sessionIdHere(at, sessionId))).toEqual({ target: at, sessionId });
      expect(splitSessionId(sessionId)).toBeNull();
    }),
  );
});
