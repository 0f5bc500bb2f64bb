import { firstSize } from '../../model/terminal/frames.ts';
import type { RunSource } from '../../source/run-source.ts';
import type { TerminalScreen } from './terminal-screen.ts';

/** The header line is at the beginning; no display needs more of the end than this. */
const PART_BYTES = 256 * 1024;

/** Without times only the end can be shown. False if there is no merged file either. */
export async function showFinalScreen(source: RunSource, screen: TerminalScreen, attempt: number): Promise<boolean> {
  try {
    const { bytes, total } = await source.raw('pty', attempt, { from: 0, to: PART_BYTES });
    const header = bytes.indexOf(0x0a) + 1;
    const { cols, rows } = firstSize(new TextDecoder().decode(bytes.subarray(0, header)));
    const size = total ?? bytes.length;
    const from = Math.max(header, size - PART_BYTES);
    const end =
      size <= PART_BYTES ? bytes.subarray(from) : (await source.raw('pty', attempt, { from, to: size })).bytes;
    screen.showAlone(end, { cols, rows });
    return true;
  } catch {
    return false;
  }
}
