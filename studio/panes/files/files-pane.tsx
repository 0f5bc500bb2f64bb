import { Pane } from '../../parts/pane.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

export function FilesPane() {
  const text = useText();
  return (
    <Pane name="files" title={text(strings.tabs.files)}>
      <p className="notice">…</p>
    </Pane>
  );
}
