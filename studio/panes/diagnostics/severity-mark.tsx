import type { Severity } from '../../model/events/diagnostic-groups.ts';
import { useText } from '../../text/language.ts';
import { diagnostics as diagnosticTexts } from '../../text/sections/diagnostics.ts';

const SHAPES: Record<Severity, string> = { error: '✕', warning: '▲', info: '○' };
const WORDS = {
  error: diagnosticTexts.errors,
  warning: diagnosticTexts.warnings,
  info: diagnosticTexts.notes,
};

/** The number of diagnostics of a severity. Red only if there are errors. */
export function SeverityMark({ severity, count }: { severity: Severity; count: number }) {
  const text = useText();
  return (
    <span className="severity" data-severity={severity} data-none={count === 0}>
      <span className="severity-shape" data-severity={severity} aria-hidden="true">
        {SHAPES[severity]}
      </span>{' '}
      {text(WORDS[severity])(count)}
    </span>
  );
}

/** A severity without its word, which is in the tooltip and for screen readers. */
export function SeverityShape({ severity }: { severity: Severity }) {
  const text = useText();
  const word = text(diagnosticTexts[severity]);
  return (
    <span className="severity-shape" data-severity={severity} role="img" aria-label={word} title={word}>
      {SHAPES[severity]}
    </span>
  );
}
