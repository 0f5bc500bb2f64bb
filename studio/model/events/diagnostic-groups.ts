import type { FcmpMessage, RaspEvent } from '../../../src/protocol/index.ts';
import { eventAt, type RunModel, timeOf } from '../../../src/record/index.ts';
import { inWindow } from '../times.ts';
import type { TimeWindow } from '../view.ts';
import { summarizeEvent } from './event-summary.ts';

const SEVERITIES = ['error', 'warning', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** One occurrence: the event to go to, and its message. */
export interface DiagnosticPlace {
  seq: number;
  /** Milliseconds since the start of the run. */
  time: number;
  severity: Severity;
  message: string;
  /** How many lines the conversation hides here, if that is the diagnostic. */
  repeated: number | null;
}

/** All occurrences of a code, in order. Code null collects events of uncertain reading. */
export interface DiagnosticGroup {
  code: string | null;
  /** The highest severity of its occurrences. */
  severity: Severity;
  places: DiagnosticPlace[];
}

export interface Diagnostics {
  /** Most severe first, uncertain readings last. */
  groups: DiagnosticGroup[];
  counts: Record<Severity, number>;
  /** Number of diagnostics outside of the time window. */
  outside: number;
}

export function diagnosticsOf(
  model: RunModel,
  { window, below }: { window: TimeWindow | null; below: number },
): Diagnostics {
  const groups = new Map<string, DiagnosticGroup>();
  const counts: Record<Severity, number> = { error: 0, warning: 0, info: 0 };
  let outside = 0;
  for (const { code, ...place } of foundIn(model)) {
    if (!inWindow(window, place.time)) {
      outside++;
      continue;
    }
    counts[place.severity]++;
    const group = groups.get(code) ?? { code, severity: 'info', places: [] };
    groups.set(code, group);
    group.places.push(place);
    group.severity = worse(group.severity, place.severity);
  }
  const rank = ({ severity }: DiagnosticGroup) => SEVERITIES.indexOf(severity);
  const sorted = [...groups.values()].sort((one, other) => rank(one) - rank(other));
  const uncertain = uncertainIn(model, window, below);
  if (uncertain.length > 0) sorted.push({ code: null, severity: 'info', places: uncertain });
  return { groups: sorted, counts, outside };
}

type Found = DiagnosticPlace & { code: string };

/** Diagnostics of the run, and those that only the conversation adds: hidden lines. */
function* foundIn(model: RunModel): Generator<Found> {
  for (const seq of model.diagnostics) {
    const found = foundAt(model, eventAt(model, seq)!);
    if (found) yield found;
  }
  for (const message of model.messages) {
    const found = leftOut(model, message);
    if (found) yield found;
  }
}

function foundAt(model: RunModel, event: RaspEvent): Found | null {
  const { seq } = event;
  const place = { seq, time: timeOf(model, event), repeated: null };
  const { code, message, severity } = (event.data ?? {}) as Partial<Record<string, unknown>>;
  if (typeof code === 'string' && typeof message === 'string' && SEVERITIES.includes(severity as Severity)) {
    return { code, message, severity: severity as Severity, ...place };
  }
  // A diagnostic of a newer version of tacho.
  return { code: event.event.type, message: summarizeEvent(event), severity: 'info', ...place };
}

function leftOut(model: RunModel, { type, data, ts, meta }: FcmpMessage): Found | null {
  if (type !== 'diagnostic.warning' || data.code !== 'RAW_DUPLICATE_SUPPRESSED') return null;
  const count = data.suppressed_count;
  return {
    code: data.code,
    message: data.message,
    severity: 'info',
    seq: meta.rasp_seq,
    time: timeOf(model, { ts }),
    repeated: typeof count === 'number' ? count : null,
  };
}

function uncertainIn(model: RunModel, window: TimeWindow | null, below: number): DiagnosticPlace[] {
  const places: DiagnosticPlace[] = [];
  for (const event of model.events) {
    if (event.source.confidence >= below || event.event.category === 'diagnostic') continue;
    const time = timeOf(model, event);
    if (!inWindow(window, time)) continue;
    const message = `${event.source.confidence} · ${event.event.type} · ${summarizeEvent(event)}`;
    places.push({ seq: event.seq, time, severity: 'info', message, repeated: null });
  }
  return places;
}

function worse(one: Severity, other: Severity): Severity {
  return SEVERITIES.indexOf(one) <= SEVERITIES.indexOf(other) ? one : other;
}
