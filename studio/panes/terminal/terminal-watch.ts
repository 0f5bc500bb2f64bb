import type { Terminal } from '@xterm/xterm';
import { type Parameters, Pen } from '../../model/terminal/pen.ts';

/**
 * State that a terminal does not expose: the attributes of the next text, the margins, whether the cursor is visible.
 */
export class TerminalWatch {
  readonly #pen = new Pen();
  #margins = '';
  #cursor = true;
  #graphics = false;

  constructor({ parser }: Pick<Terminal, 'parser'>) {
    // Only listens: false passes the sequence on to the terminal.
    const listen = (act: (parameters: Parameters) => void) => (parameters: (number | number[])[]) => {
      act(parameters);
      return false;
    };
    parser.registerCsiHandler(
      { final: 'm' },
      listen((parameters) => this.#pen.apply(parameters)),
    );
    parser.registerCsiHandler(
      { final: 'r' },
      listen((parameters) => {
        this.#margins = parameters.some((parameter) => parameter !== 0) ? `\x1b[${parameters.join(';')}r` : '';
      }),
    );
    const showCursor = (shown: boolean) =>
      listen((parameters) => {
        if (parameters.includes(25)) this.#cursor = shown;
      });
    parser.registerCsiHandler({ prefix: '?', final: 'h' }, showCursor(true));
    parser.registerCsiHandler({ prefix: '?', final: 'l' }, showCursor(false));
    const chooseGraphics = (chosen: boolean) => () => {
      this.#graphics = chosen;
      return false;
    };
    parser.registerEscHandler({ intermediates: '(', final: '0' }, chooseGraphics(true));
    parser.registerEscHandler({ intermediates: '(', final: 'B' }, chooseGraphics(false));
    parser.registerEscHandler({ final: 'c' }, () => {
      this.#reset();
      return false;
    });
    parser.registerCsiHandler(
      { intermediates: '!', final: 'p' },
      listen(() => this.#reset()),
    );
  }

  /** Output that restores it. */
  toString(): string {
    return `${this.#margins}${this.#graphics ? '\x1b(0' : ''}${this.#cursor ? '' : '\x1b[?25l'}${this.#pen}`;
  }

  #reset(): void {
    this.#pen.reset();
    this.#margins = '';
    this.#cursor = true;
    this.#graphics = false;
  }
}
