const PRINTED = Symbol('printed');

/** The JSON, quotes included, that a text among the data of an event was read from. */
interface PrintedText {
  member: string;
  json: string;
}

/**
 * Remembers it with the data, where copies do not take it along. The journal then writes it as it is: to escape a long
 * text again takes longer than all else on the way from an engine's output to the journal.
 */
export function keepPrinted(data: object, text: PrintedText): void {
  Object.defineProperty(data, PRINTED, { value: text });
}

export function printedIn(data: object): PrintedText | undefined {
  return (data as { [PRINTED]?: PrintedText })[PRINTED];
}
