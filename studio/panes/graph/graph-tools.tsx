import { Choice } from '../../parts/controls/choice.tsx';
import { useText } from '../../text/language.ts';
import { strings } from '../../text/strings.ts';

/** The selection with everything around it, or the whole run. */
export type Scope = 'around' | 'whole';
export type Form = 'list' | 'picture';

interface Props {
  scope: Scope;
  onScope(scope: Scope): void;
  /** Null if there is room for both. */
  form: Form | null;
  onForm(form: Form): void;
  /** Null if there is no picture. */
  zoom: { by(factor: number): void; fit(): void } | null;
}

export function GraphTools({ scope, onScope, form, onForm, zoom }: Props) {
  const text = useText();
  const words = strings.graph;
  return (
    <>
      <Choice<Scope>
        label={text(words.scope)}
        options={[
          { value: 'around', label: text(words.aroundIt) },
          { value: 'whole', label: text(words.wholeRun) },
        ]}
        value={scope}
        onChange={onScope}
      />
      {form && (
        <Choice<Form>
          label={text(words.form)}
          options={[
            { value: 'list', label: text(words.list) },
            { value: 'picture', label: text(words.picture) },
          ]}
          value={form}
          onChange={onForm}
        />
      )}
      {zoom && (
        <span className="graph-zoom">
          <button type="button" className="plain" aria-label={text(words.zoomOut)} onClick={() => zoom.by(0.8)}>
            −
          </button>
          <button type="button" className="plain" aria-label={text(words.zoomIn)} onClick={() => zoom.by(1.25)}>
            +
          </button>
          <button type="button" className="plain" onClick={zoom.fit}>
            {text(words.fit)}
          </button>
        </span>
      )}
    </>
  );
}
