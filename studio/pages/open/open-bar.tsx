import { EVENTS_FILE } from '../../../src/protocol/index.ts';
import { byteSize } from '../../model/bytes/byte-size.ts';
import type { BrokenLine } from '../../source/archive/read-log.ts';
import { useStore } from '../../state/store.ts';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';
import { FileButton } from './file-button.tsx';
import type { OpenedRun } from './opened-run.ts';
import { SealCheck } from './seal-check.tsx';

const WORDS = {
  incomplete: strings.open.lineIncomplete,
  unreadable: strings.open.lineUnreadable,
  newer: strings.open.lineNewer,
} as const;

/** The source of the opened run, unreadable parts, and whether its seal is valid. */
export function OpenBar({ opened, onFile }: { opened: OpenedRun; onFile(file: File): void }) {
  const text = useText();
  const broken = useStore(opened.broken);
  return (
    <aside className="open-bar" aria-label={text(strings.open.title)}>
      <span className="open-name">{text(strings.open.from)(opened.name, byteSize(opened.bytes))}</span>
      <SealCheck source={opened.source} />
      {broken.map((line) => (
        <Broken key={line.file} {...line} />
      ))}
      <FileButton label={text(strings.open.another)} onFile={onFile} />
    </aside>
  );
}

function Broken({ file, line, why, shown }: BrokenLine) {
  const text = useText();
  const what = text(file === EVENTS_FILE ? strings.open.events : strings.open.messages);
  return (
    <p role="status" className="open-broken">
      <span aria-hidden="true">▲</span> {text(WORDS[why])(line, file, shown, what)}
    </p>
  );
}
