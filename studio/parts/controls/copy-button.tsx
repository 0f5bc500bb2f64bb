import { useEffect, useState } from 'react';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

const SAID_MS = 1500;

interface Props {
  label: string;
  /** Computed only when needed: it can be long. */
  text: () => string;
  title?: string;
  tabIndex?: number;
  className?: string;
}

/** Copies a text, and confirms it in place. */
export function CopyButton({ label, text, ...others }: Props) {
  const say = useText();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <button
      type="button"
      {...others}
      onClick={() => void navigator.clipboard.writeText(text()).then(() => setCopied(true))}
    >
      <span aria-live="polite">{copied ? say(strings.app.copied) : label}</span>
    </button>
  );
}
