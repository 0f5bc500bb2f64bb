import type { OutputStream, Parser, ParserContext, RaspDraft } from '../../protocol/index.ts';
import { createRawBlocks } from '../raw-blocks.ts';
import { fireUntil } from '../timed.ts';

/** Any command: no structure is assumed, all of its output is raw. */
export const TEXT_PARSER = 'text';
export const TEXT_PARSER_VERSION = '1';

export function createTextParser(context: ParserContext): Parser {
  let drafts: RaspDraft[] = [];
  const blocks = createRawBlocks(context, { parser: TEXT_PARSER, confidence: 1 }, (draft) => drafts.push(draft));
  const waiting = [blocks];
  const position = { stdout: 0, stderr: 0, pty: 0, ...context.origin };
  const take = () => {
    const taken = drafts;
    drafts = [];
    return taken;
  };
  return {
    push(stream: OutputStream, bytes: Uint8Array, time: number) {
      fireUntil(waiting, time);
      // A merged log recorded apart repeats the others.
      if (stream === 'pty' && context.mergedApart) return take();
      blocks.push(stream, position[stream], bytes, time);
      position[stream] += bytes.length;
      return take();
    },
    tick(time: number) {
      fireUntil(waiting, time);
      return take();
    },
    /** As if time went on: the same events, whether or not the clock ticked between the last byte and the end. */
    end() {
      fireUntil(waiting, Number.POSITIVE_INFINITY);
      return take();
    },
  };
}
