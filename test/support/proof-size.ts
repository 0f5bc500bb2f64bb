/** Tests run at a small size in `npm test` and at the full size in `npm run test:heavy`. */
export const fullSize = process.env.TACHO_PROOF === 'full';

export function proofSize<T>({ small, full }: { small: T; full: T }): T {
  return fullSize ? full : small;
}
