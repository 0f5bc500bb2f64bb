import './markdown.css';
import { Component, memo, type ReactNode, useDeferredValue, useMemo } from 'react';
import { markdownBlocks } from '../../model/conversation/markdown-blocks.ts';
import { showUnseen } from '../../model/text/unseen.ts';
import { LongText } from '../long-text.tsx';
import { MarkdownNodes } from './markdown-nodes.tsx';
import { readMarkdown } from './read-markdown.ts';

const MOST = 65_536;

/** What an agent writes. It is hostile until proven otherwise: no image is loaded, no HTML obeyed, no address hidden. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  // A message that grows is drawn when there is time; the page goes first.
  const calm = useDeferredValue(text);
  if (text.length > MOST) return <LongText text={text} />;
  return <Blocks text={calm} />;
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

/** Whatever cannot be read as Markdown is still text. */
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
