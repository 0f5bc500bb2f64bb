/** One frame of an event stream. */
export interface SseFrame {
  /** The last `id` of the stream, even if this frame has none; '' before the first. */
  id: string;
  event: string;
  data: string;
}

export interface SseParser {
  /** The frames completed by these bytes. A frame cut off by the end of the stream is dropped. */
  push(bytes: Uint8Array): SseFrame[];
}

const LINE_END = /[\r\n]/g;

/** Parses `text/event-stream` according to the HTML standard, however the bytes are split. */
export function createSseParser(): SseParser {
  // Removes a byte order mark, and holds back a character until its last byte.
  const decoder = new TextDecoder();
  let line = '';
  let afterCarriageReturn = false;
  let id = '';
  let event = '';
  let data: string[] = [];
  let frames: SseFrame[] = [];

  function readText(text: string): void {
    let from = 0;
    // The carriage return has already ended the line; its line feed must not end another.
    if (afterCarriageReturn && text.startsWith('\n')) from = 1;
    if (text !== '') afterCarriageReturn = false;
    LINE_END.lastIndex = from;
    for (let end = LINE_END.exec(text); end !== null; end = LINE_END.exec(text)) {
      readLine(line + text.slice(from, end.index));
      line = '';
      from = end.index + 1;
      if (end[0] === '\r') {
        if (text[from] === '\n') from++;
        else afterCarriageReturn = from === text.length;
      }
      LINE_END.lastIndex = from;
    }
    line += text.slice(from);
  }

  function readLine(text: string): void {
    if (text === '') {
      endFrame();
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return; // A comment, such as a heartbeat.
    const name = colon < 0 ? text : text.slice(0, colon);
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') data.push(value);
    else if (name === 'event') event = value;
    else if (name === 'id' && !value.includes('\0')) id = value;
  }

  function endFrame(): void {
    if (data.length > 0) frames.push({ id, event: event || 'message', data: data.join('\n') });
    event = '';
    data = [];
  }

  return {
    push(bytes) {
      readText(decoder.decode(bytes, { stream: true }));
      const complete = frames;
      frames = [];
      return complete;
    },
  };
}
