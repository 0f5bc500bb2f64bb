import type { ReactNode } from 'react';
import { showUnseen } from '../../model/text/unseen.ts';

/** A link never hides where it leads. Only addresses of the web can be followed. */
export function MarkdownAddress(props: { address: string; said: string; children: ReactNode }) {
  const { address, said, children } = props;
  const shown = showUnseen(decoded(address)).slice(0, 300);
  const isKnown = shown === said || address.startsWith('#');
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
