import { isEvent } from '../../../src/protocol/index.ts';
import { eventAt, type RunModel } from '../../../src/record/index.ts';
import type { Selection } from '../../model/selection.ts';

/** The path that is looked at: itself, or as what an event tells of. */
export function selectedPath(model: RunModel, selection: Selection | null): string | null {
  if (selection?.kind === 'file') return selection.path;
  const event = selection?.kind === 'event' ? eventAt(model, selection.seq) : undefined;
  if (event === undefined) return null;
  const told =
    isEvent(event, 'artifact.created') || isEvent(event, 'artifact.modified') || isEvent(event, 'artifact.deleted');
  return told ? event.data.path : null;
}
