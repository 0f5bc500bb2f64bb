import { useRef } from 'react';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** A button that asks for an archive. */
export function FileButton({
  label,
  primary = false,
  onFile,
}: {
  label: string;
  primary?: boolean;
  onFile(file: File): void;
}) {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" className={primary ? 'primary' : 'plain'} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input
        ref={input}
        type="file"
        accept=".zip,application/zip"
        hidden
        aria-label={text(strings.open.choose)}
        onChange={({ target }) => {
          const file = target.files?.[0];
          // So that the same file can be chosen again.
          target.value = '';
          if (file) onFile(file);
        }}
      />
    </>
  );
}
