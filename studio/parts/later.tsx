import { Component, type ReactNode, Suspense } from 'react';
import { say, useText } from '../text/language.ts';
import { strings } from '../text/strings.ts';

/** Loads its content on first use. If that fails, the rest of the page keeps working. */
export function Later({ children }: { children: ReactNode }) {
  return (
    <Boundary>
      <Suspense fallback={<Loading />}>{children}</Suspense>
    </Boundary>
  );
}

function Loading() {
  const text = useText();
  return <p className="notice">{text(strings.app.loading)}</p>;
}

class Boundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="notice" role="alert">
        <strong>{say(strings.app.failedToLoad)(error.message)}</strong>
        {/* After the server was updated, parts of the old page no longer exist. */}
        <button type="button" onClick={() => location.reload()}>
          {say(strings.app.reload)}
        </button>
      </div>
    );
  }
}
