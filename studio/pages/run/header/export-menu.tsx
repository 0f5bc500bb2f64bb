import { Menu, MenuItem } from '../../../parts/controls/menu.tsx';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';
import { type Exporting, useExport } from './use-export.ts';

export function ExportMenu() {
  const text = useText();
  const exporting = useExport();
  return (
    <>
      {exporting.problem !== null && (
        <span role="alert" className="run-lost">
          {exporting.problem}
        </span>
      )}
      <Menu
        button={
          <button
            type="button"
            className="plain"
            aria-label={text(strings.run.export)}
            title={text(strings.run.export)}
          >
            {exporting.isBusy ? text(strings.run.exporting) : '⤓'}
          </button>
        }
      >
        <ExportItems exporting={exporting} />
      </Menu>
    </>
  );
}

/** The same items in a separate menu, or among others if space is limited. */
export function ExportItems({ exporting }: { exporting: Exporting }) {
  const text = useText();
  const { transcript, zip, events, disc, isBusy } = exporting;
  return (
    <>
      <MenuItem onSelect={transcript}>{text(strings.run.exportTranscript)}</MenuItem>
      {zip && (
        <MenuItem disabled={isBusy} onSelect={zip}>
          {text(strings.run.exportZip)}
        </MenuItem>
      )}
      <MenuItem onSelect={events}>{text(strings.run.exportEvents)}</MenuItem>
      <MenuItem onSelect={disc}>{text(strings.run.exportDisc)}</MenuItem>
    </>
  );
}
