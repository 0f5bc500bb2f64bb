import { Popover } from 'radix-ui';
import { useState } from 'react';
import { useText } from '../../../text/language.ts';
import { strings } from '../../../text/strings.ts';
import type { Verification } from './use-verification.ts';
import { VerificationText } from './verification-text.tsx';

const SHAPES = { intact: '✓', changed: '✕', incomplete: '◌' } as const;

/** Verifies the record on click, and then shows the verdict; the details are below. */
export function IntegrityBadge({ verification }: { verification: Verification }) {
  const text = useText();
  const [isOpen, setOpen] = useState(false);
  const { stage, answer, verify } = verification;

  function change(open: boolean) {
    setOpen(open);
    if (open && (stage === 'unknown' || stage === 'failed')) verify();
  }

  return (
    <Popover.Root open={isOpen} onOpenChange={change}>
      <Popover.Trigger asChild>
        <button type="button" className="plain integrity" data-verdict={answer?.verdict}>
          {answer ? (
            <>
              <span aria-hidden="true">{SHAPES[answer.verdict]}</span> {text(strings.run[answer.verdict])}
            </>
          ) : (
            text(stage === 'checking' ? strings.run.verifying : strings.run.verify)
          )}
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="popover"
          aria-label={text(strings.run.verify)}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onKeyDown={(event) => event.stopPropagation()}
        >
          <VerificationText verification={verification} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
