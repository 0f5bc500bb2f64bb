import { expect, test } from 'vitest';
import { showUnseen } from '../../studio/model/text/unseen.ts';

test('invisible characters are shown, and direction overrides are not applied', () => {
  expect(showUnseen('a\0b\x1b[31m\x7f\x9b')).toBe('a⟨U+0000⟩b⟨U+001B⟩[31m⟨U+007F⟩⟨U+009B⟩');
  expect(showUnseen('safe\u202etxt.exe\u2069\ufeff\u{e0041}')).toBe('safe⟨U+202E⟩txt.exe⟨U+2069⟩⟨U+FEFF⟩⟨U+E0041⟩');
});

test('lines, tabs, joined characters and other scripts are unchanged', () => {
  const text = 'one\ttwo\nשלום سلام 你好 👩‍👩‍👧';
  expect(showUnseen(text)).toBe(text);
  expect(showUnseen('one\r\ntwo\rthree')).toBe('one\ntwo⟨U+000D⟩three');
});
