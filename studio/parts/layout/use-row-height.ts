import { useMedia } from './use-media.ts';

/** Height of a row of a virtual list: the same as the token `--row`. */
export function useRowHeight(): number {
  return useMedia('(pointer: coarse)') ? 44 : 26;
}
