import { OutputFilter } from './output-filter.ts';
import { effectOf } from './sequence-effect.ts';

/** Whether output addresses the screen, as full-screen programs do from the beginning. A progress bar does not count. */
export function usesScreen(bytes: Uint8Array): boolean {
  let uses = false;
  const filter = new OutputFilter({
    text: () => {},
    control: () => {},
    sequence: (sequence) => {
      const effect = effectOf(sequence);
      uses ||= effect !== 'none' && effect !== 'ahead' && !'Kb'.includes(sequence.final);
    },
  });
  filter.push(bytes);
  return uses;
}
