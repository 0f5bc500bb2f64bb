import './markdown.css';
import { Component, memo, type ReactNode, useDeferredValue, useMemo } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { markdownBlocks } from '../model/markdown-blocks.ts';
import { showUnseen } from '../model/unseen.ts';
import { LongText } from './long-text.tsx';

const MOST = 65_536;
const PLUGINS = [remarkGfm];

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
      <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={(address) => address}>
        {text}
      </ReactMarkdown>
    </PlainOnError>
  );
});

/** A heading of an agent is no heading of the page. */
const heading: Components['h1'] = ({ children }) => <p className="markdown-heading">{children}</p>;

const COMPONENTS: Components = {
  a: ({ href = '', children }) => <Address address={href}>{children}</Address>,
  img: ({ src, alt }) => (
    <span className="markdown-image">
      ▨ {alt} <span className="markdown-address">{typeof src === 'string' ? src.slice(0, 300) : ''}</span>
    </span>
  ),
  input: ({ checked }) => <span>{checked ? '☑' : '☐'}</span>,
  h1: heading,
  h2: heading,
  h3: heading,
  h4: heading,
  h5: heading,
  h6: heading,
};

function Address({ address, children }: { address: string; children: ReactNode }) {
  const shown = showUnseen(decoded(address)).slice(0, 300);
  const isKnown = shown === children || address.startsWith('#');
  const told = !isKnown && <span className="markdown-address"> ({shown})</span>;
  if (!/^https?:\/\//i.test(address)) {
    return (
      <>
        {children}
        {told}
      </>
    );
  }
  return (
    <>
      <a href={address} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
      {told}
    </>
  );
}

function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
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
