import { useEffect, useState } from 'react';
import type { FileChange } from '../../model/files/file-changes.ts';
import { useSession } from '../../state/use-run.tsx';

/** The content of a file before and after; null if there was none, or none was stored. */
export interface Contents {
  before: Uint8Array | null;
  after: Uint8Array | null;
}

export type ContentsState =
  | { phase: 'loading' }
  | { phase: 'ready'; contents: Contents }
  | { phase: 'failed'; error: Error };

export function useContents({ beforeBlob, afterBlob }: FileChange): ContentsState {
  const { source } = useSession();
  const [state, setState] = useState<ContentsState>({ phase: 'loading' });
  useEffect(() => {
    const ending = new AbortController();
    const content = async (sha256: string | null) =>
      sha256 === null ? null : source.fileContent(sha256, ending.signal);
    setState({ phase: 'loading' });
    Promise.all([content(beforeBlob), content(afterBlob)]).then(
      ([before, after]) => !ending.signal.aborted && setState({ phase: 'ready', contents: { before, after } }),
      (error: Error) => !ending.signal.aborted && setState({ phase: 'failed', error }),
    );
    return () => ending.abort();
  }, [source, beforeBlob, afterBlob]);
  return state;
}

/** As text; null if it is not UTF-8. */
export function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
