import { Popover } from 'radix-ui';
import { Disc, RunDisc } from '../../../parts/disc.tsx';
import { useModel } from '../../../state/use-run.tsx';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';

/** The disc of the run: small in the header, and large below it, where a click moves the playhead. */
export function HeaderDisc() {
  const text = useText();
  const model = useModel();
  const label = text(strings.run.disc);
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <button type="button" className="plain header-disc" title={label}>
          <Disc model={model} size={22} label={label} />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="popover header-disc-large"
          aria-label={label}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          onKeyDown={(event) => event.stopPropagation()}
        >
          <RunDisc size={96} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
