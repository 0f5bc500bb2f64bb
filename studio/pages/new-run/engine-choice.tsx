import { useId } from 'react';
import * as z from 'zod';
import type { EngineFacts } from '../../../src/client/index.ts';
import { useText } from '../../text/language.ts';
import { newRun } from '../../text/sections/new-run.ts';

/** How an engine is installed, as newer servers report it. */
const installSchema = z.looseObject({ needs_node: z.string().nullable().optional() });

interface Props {
  engine: EngineFacts;
  isChosen: boolean;
  onChoose(): void;
}

/** An engine to choose, or how to install it. */
export function EngineChoice({
  engine: { name, title, installed, version, tested, install, sign_in },
  isChosen,
  onChoose,
}: Props) {
  const text = useText();
  const note = useId();
  return (
    <div className="new-run-engine">
      <label>
        <input
          type="radio"
          name="engine"
          checked={isChosen}
          disabled={!installed}
          aria-describedby={note}
          onChange={onChoose}
        />
        {title} <span className="bytes quiet">{name}</span>
      </label>
      <span id={note} className="quiet small">
        {installed ? (
          <>
            {version} {!tested && text(newRun.untested)}{' '}
            {sign_in?.state === 'no' && (
              <>
                {text(newRun.signInWith)} <code>tacho engines login {name}</code>
              </>
            )}
          </>
        ) : (
          <Missing name={name} install={installSchema.safeParse(install).data ?? null} />
        )}
      </span>
    </div>
  );
}

function Missing({ name, install }: { name: string; install: z.infer<typeof installSchema> | null }) {
  const text = useText();
  const missing = text(newRun.notInstalled);
  if (install === null) return `${missing}, ${text(newRun.noInstall)}`;
  return (
    <>
      {missing}
      {install.needs_node && `, ${text(newRun.needsNode)(install.needs_node)}`}. {text(newRun.installWith)}{' '}
      <code>tacho engines install {name}</code>
    </>
  );
}
