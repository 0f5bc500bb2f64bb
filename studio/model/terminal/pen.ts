/** Parameters of a control sequence in xterm's form: those separated by colons are a nested list. */
export type Parameters = readonly (number | readonly number[])[];

/** What each parameter turns off. */
const ENDS: Record<number, readonly number[]> = {
  22: [1, 2],
  23: [3],
  24: [4, 21],
  25: [5, 6],
  27: [7],
  28: [8],
  29: [9],
  55: [53],
};

/** The attributes of the text printed next. The cells of a screen do not hold them, so this follows SGR sequences. */
export class Pen {
  /** By attribute, in the form that sets it again. */
  readonly #set = new Map<string, string>();

  reset(): void {
    this.#set.clear();
  }

  apply(parameters: Parameters): void {
    if (parameters.length === 0) this.reset();
    for (let index = 0; index < parameters.length; index++) {
      const parameter = parameters[index]!;
      if (typeof parameter !== 'number') continue;
      const detail = parameters[index + 1];
      const colour = colourOf(parameter);
      if (parameter === 0) this.reset();
      else if (ENDS[parameter]) for (const ended of ENDS[parameter]) this.#set.delete(String(ended));
      else if (colour && parameter % 10 === 9 && parameter < 60) this.#set.delete(colour);
      else if (colour && parameter % 10 === 8 && Array.isArray(detail)) {
        this.#set.set(colour, `${parameter}:${detail.map((part) => (part < 0 ? '' : part)).join(':')}`);
        index++;
      } else if (colour && parameter % 10 === 8) {
        const length = detail === 2 ? 5 : 3;
        this.#set.set(colour, parameters.slice(index, index + length).join(';'));
        index += length - 1;
      } else if (Array.isArray(detail)) {
        this.#set.set(String(parameter), `${parameter}:${detail.join(':')}`);
        index++;
      } else this.#set.set(colour ?? String(parameter), String(parameter));
    }
  }

  /** The sequence that sets it. */
  toString(): string {
    return `\x1b[0${[...this.#set.values()].map((value) => `;${value}`).join('')}m`;
  }
}

function colourOf(parameter: number): 'text' | 'ground' | 'underline' | null {
  if ((parameter >= 30 && parameter < 40) || (parameter >= 90 && parameter < 98)) return 'text';
  if ((parameter >= 40 && parameter < 50) || (parameter >= 100 && parameter < 108)) return 'ground';
  return parameter === 58 || parameter === 59 ? 'underline' : null;
}
