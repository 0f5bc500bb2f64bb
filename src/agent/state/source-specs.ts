import type { AgentData, SourceTools } from '../../protocol/index.ts';
import { changedParts, type SpecPart, type SpecText } from '../../tools/tool-spec.ts';
import type { AgentState, CallState } from './state.ts';

/** A tool of a source, as far as the log knows it. */
export interface SourceSpec {
  /** As the model was given it. */
  given: SpecText;
  /** As a person has accepted it last, or as an earlier process of the run was given it. */
  accepted: SpecText | null;
  /** Parts that differ from the tool as it was accepted in another run. */
  unaccepted: readonly SpecPart[];
}

/** The tools of sources when a process begins. What they were before stays what calls are compared with. */
export function applySources(state: AgentState, sources: readonly SourceTools[] = []): void {
  for (const call of state.turn) if (!call.result && hasOtherSpec(state, call, sources)) requestAnew(call);
  for (const { description, parameters, name, changed = [] } of sources.flatMap(({ tools }) => tools)) {
    const before = state.sourceSpecs.get(name);
    const given = { description, parameters } as SpecText;
    state.sourceSpecs.set(name, {
      given,
      accepted: before ? (before.accepted ?? before.given) : null,
      unaccepted: [...new Set([...(before?.unaccepted ?? []), ...changed])],
    });
  }
  state.missingSources = new Set(
    sources.flatMap(({ name, tools, problem }) => (problem && tools.length === 0 ? name : [])),
  );
}

/** The tool as its server has it now: as the model was given it, with its changes. */
export function specNow(given: SpecText, changed: AgentData<'tool_call_requested'>['changed'] = {}): SpecText {
  return { ...given, ...changed } as SpecText;
}

/** Parts that differ from the tool that was last accepted. */
export function unacceptedParts({ given, accepted, unaccepted }: SourceSpec, now: SpecText): SpecPart[] {
  return [...new Set([...unaccepted, ...changedParts(accepted ?? given, now)])].sort();
}

/** A person has approved a call: the tool is accepted as it was shown. */
export function acceptSpec(state: AgentState, { part, requested }: CallState): void {
  const known = state.sourceSpecs.get(part.name);
  if (!known || !requested) return;
  state.sourceSpecs.set(part.name, { ...known, accepted: specNow(known.given, requested.changed), unaccepted: [] });
}

/** Whether a call that was judged by an earlier process was judged by another tool than the one that is there now. */
function hasOtherSpec(state: AgentState, { part, requested }: CallState, sources: readonly SourceTools[]): boolean {
  const known = state.sourceSpecs.get(part.name);
  const now = sources.flatMap(({ tools }) => tools).find(({ name }) => name === part.name);
  if (!known || !requested || !now) return false;
  return changedParts(specNow(known.given, requested.changed), now as SpecText).length > 0;
}

function requestAnew(call: CallState): void {
  call.requested = null;
  call.changed = null;
  call.approval = null;
}
