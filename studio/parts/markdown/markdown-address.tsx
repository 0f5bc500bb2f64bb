import type { ReactNode } from 'react';
import { showUnseen } from '../../model/text/unseen.ts';

/** A link always shows its target. Only web addresses can be followed. */
export function MarkdownAddress(props: { address: string; said: string; children: ReactNode }) {
  const { address, said, children } = props;
  const shown = showUnseen(decoded(address)).slice(0, 300);
  const isKnown = shown === said || address.startsWith('#');
  const note = !isKnown && <span className="markdown-address"> ({shown})</span>;
  if (!/^https?:\/\//i.test(address)) {
    return (
      <>
        {children}
        {note}
      </>
    );
  }
  return (
    <>
      <a href={address} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
      {note}
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
