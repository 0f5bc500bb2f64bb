import { expect, it } from 'vitest';
import { createKeyReader } from '../../../src/cli/replay/keys.ts';

const read = (...pieces: string[]) => {
  const reader = createKeyReader();
  return pieces.flatMap((piece) => reader(piece)).map((command) => Object.values(command).join(' '));
};

it('reads keys as commands', () => {
  expect(read(' .?+=-')).toEqual(['pause', 'step', 'help', 'speed 2', 'speed 2', 'speed 0.5']);
  expect(read('q', '\x03')).toEqual(['quit 0', 'quit 130']);
  expect(read('\x1b[A\x1b[B\x1b[C\x1b[D\x1bOC\x1b[1;2D')).toEqual([
    'speed 2',
    'speed 0.5',
    'seek 5000',
    'seek -5000',
    'seek 5000',
    'seek -5000',
  ]);
});

it('reads sequences split over two reads', () => {
  expect(read('\x1b', '[', 'C')).toEqual(['seek 5000']);
  expect(read('\x1b', 'q')).toEqual(['quit 0']);
});

it('reads keys of a terminal whose keyboard protocol the recording changed', () => {
  expect(read('\x1b[113u', '\x1b[32;1:1u', '\x1b[99;5u', '\x1b[27;5;99~')).toEqual([
    'quit 0',
    'pause',
    'quit 130',
    'quit 130',
  ]);
  expect(read('\x1b[113;1:3u', '\x1b[113;5u', '\x1b[57358u')).toEqual([]);
});

it('ignores pasted text and mouse events', () => {
  expect(read('\x1b[200~quit q\x03\x1b[201~')).toEqual([]);
  expect(read('\x1b[M qq\x1b[<0;10;5M\x1b[I\x1b[O')).toEqual([]);
  expect(read('abc\r\n')).toEqual([]);
});
