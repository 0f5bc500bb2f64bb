import type { Terminal } from '@xterm/xterm';

/**
 * Output must not have effects: queries are not answered, because the answer would be typed into the program, and it
 * must not change the colours of the page. Titles and the clipboard are not used here.
 */
export function silence({ parser }: Pick<Terminal, 'parser'>): void {
  const ignore = () => true;
  const asked = [
    { final: 'c' },
    { prefix: '>', final: 'c' },
    { prefix: '=', final: 'c' },
    { final: 'n' },
    { prefix: '?', final: 'n' },
    { prefix: '>', final: 'q' },
    { intermediates: '$', final: 'p' },
    { prefix: '?', intermediates: '$', final: 'p' },
    { final: 't' },
  ];
  for (const sequence of asked) parser.registerCsiHandler(sequence, ignore);
  parser.registerDcsHandler({ intermediates: '$', final: 'q' }, ignore);
  for (const command of [0, 1, 2, 4, 10, 11, 12, 52, 104, 110, 111, 112]) parser.registerOscHandler(command, ignore);
}
