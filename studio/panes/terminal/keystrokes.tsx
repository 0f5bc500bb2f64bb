import { useEffect, useState } from 'react';
import { inputAt, keyNames } from '../../model/terminal/keystrokes.ts';
import { useModel, useSession, useView } from '../../state/use-run.tsx';

/** The last keys typed before the playhead, on top of the terminal. */
export function Keystrokes({ attempt }: { attempt: number }) {
  const session = useSession();
  const [keys, setKeys] = useState<string[]>([]);
  const model = useModel();
  const recording = session.recordings.get(attempt)?.recording;
  // Their range in the stream as text: rerenders only when it changes.
  const range = useView(() => (recording ? inputAt(recording, (model.start ?? 0) + session.time) : ''));

  useEffect(() => {
    const [from, to] = range.split('-').map(Number);
    if (from === undefined || to === undefined) {
      setKeys([]);
      return;
    }
    const ending = new AbortController();
    session.source.raw('stdin', attempt, { from, to }, ending.signal).then(
      ({ bytes }) => setKeys(keyNames(new TextDecoder().decode(bytes))),
      () => {},
    );
    return () => ending.abort();
  }, [session, attempt, range]);

  if (keys.length === 0) return null;
  return (
    <p className="terminal-keys bytes" aria-hidden="true">
      {keys.map((key, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: only their place distinguishes the keys.
        <kbd key={index}>{key}</kbd>
      ))}
    </p>
  );
}
