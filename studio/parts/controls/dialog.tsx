import './dialog.css';
import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef } from 'react';

/**
 * A dialog, open while it is rendered. The browser's own element traps the focus, restores it afterwards and closes
 * with Escape; unlike the library's, it needs no style sheet that the page's policy forbids.
 */
export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ReactNode }) {
  const heading = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    current?.showModal();
    return () => current?.close();
  }, []);

  function click({ target, currentTarget }: MouseEvent) {
    // Only the area around the content is the dialog itself.
    if (target === currentTarget) onClose();
  }

  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={heading}
      onClose={onClose}
      onClick={click}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className="dialog-content">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
