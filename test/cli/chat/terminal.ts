import { clustersOf, columnsOf } from '../../../src/cli/chat/columns.ts';

/**
 * The subset of a terminal that the chat view may use. It refuses all other control sequences, so a test that draws
 * on it also proves that no control byte of an engine got through.
 */
export class Terminal {
  readonly columns: number;
  readonly rows: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns: number) {
    this.columns = columns;
  }

  write(text: string): void {
    for (const [token] of text.matchAll(/\u001b\[[\d;]*[A-Za-z]|[\n\r]|[^\u001b\n\r]+|./gsu)) this.#take(token);
  }

  get screen(): string {
    return this.rows.join('\n');
  }

  #take(token: string): void {
    if (token === '\n') {
      this.#row++;
      this.#column = 0;
      if (this.#row === this.rows.length) this.rows.push('');
    } else if (token === '\r') {
      this.#column = 0;
    } else if (token === '\u001b[J') {
      this.rows.length = this.#row + 1;
      this.rows[this.#row] = takeCells(this.rows[this.#row]!, this.#column);
    } else if (/^\u001b\[\d+A$/.test(token)) {
      this.#row -= Number(token.slice(2, -1));
      if (this.#row < 0) throw new Error('moved above the first line');
    } else if (!/^\u001b\[(?:0|1|2|22|31|32|33|36|39)m$/.test(token)) {
      this.#print(token);
    }
  }

  #print(text: string): void {
    if (/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(text)) throw new Error(`not to be printed: ${JSON.stringify(text)}`);
    const row = this.rows[this.#row]!;
    if (columnsOf(row) !== this.#column) throw new Error(`printed over ${JSON.stringify(row)}`);
    this.rows[this.#row] = row + text;
    this.#column += columnsOf(text);
  }
}

function takeCells(text: string, columns: number): string {
  let taken = '';
  for (const cluster of clustersOf(text)) {
    if (columnsOf(taken) >= columns) break;
    taken += cluster;
  }
  return taken;
}
