import './markdown.css';
import { Component, memo, type ReactNode, useDeferredValue, useMemo } from 'react';
import { markdownBlocks } from '../../model/conversation/markdown-blocks.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { LongText } from '../long-text.tsx';
import { MarkdownNodes } from './markdown-nodes.tsx';
import { readMarkdown } from './read-markdown.ts';

const MAX_CHARACTERS = 65_536;

/** Text of an agent, which is not trusted: no image is loaded, no HTML interpreted, no address hidden. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  // A growing message is rendered when there is time; the page has priority.
  const deferred = useDeferredValue(text);
  if (text.length > MAX_CHARACTERS) return <LongText text={text} />;
  return <Blocks text={deferred} />;
});

const Blocks = memo(function Blocks({ text }: { text: string }) {
  const blocks = useMemo(() => markdownBlocks(showUnseen(text)), [text]);
  return (
    <div className="markdown">
      {blocks.map(({ text: block, plain }, index) =>
        plain ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end.
          <LongText key={index} text={block} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <Block key={index} text={block} />
        ),
      )}
    </div>
  );
});

const Block = memo(function Block({ text }: { text: string }) {
  return (
    <PlainOnError text={text}>
      <Read text={text} />
    </PlainOnError>
  );
});

function Read({ text }: { text: string }) {
  const { children } = useMemo(() => readMarkdown(text), [text]);
  return <MarkdownNodes nodes={children} />;
}

/** Text that cannot be parsed as Markdown is shown as plain text. */
class PlainOnError extends Component<{ text: string; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidUpdate({ text }: { text: string }) {
    if (this.state.failed && text !== this.props.text) this.setState({ failed: false });
  }

  override render() {
    return this.state.failed ? <LongText text={this.props.text} /> : this.props.children;
  }
}
