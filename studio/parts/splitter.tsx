import './splitter.css';
import { type KeyboardEvent, type PointerEvent, useCallback, useState } from 'react';

/** A size in pixels that somebody dragged, kept for the next time. */
export function useKeptSize(key: string, first: number): [number, (size: number) => void] {
  const [size, setSize] = useState(() => Number(localStorage.getItem(key)) || first);
  const keep = useCallback(
    (chosen: number) => {
      localStorage.setItem(key, String(Math.round(chosen)));
      setSize(chosen);
    },
    [key],
  );
  return [size, keep];
}

interface Props {
  label: string;
  /** Width of what stands to the right of the splitter. */
  size: number;
  least: number;
  most: number;
  onSize(size: number): void;
}

export function Splitter({ label, size, least, most, onSize }: Props) {
  const bounded = (wanted: number) => onSize(Math.max(least, Math.min(most, wanted)));

  function drag(event: PointerEvent<HTMLDivElement>) {
    const { currentTarget: handle, pointerId, clientX: from } = event;
    handle.setPointerCapture(pointerId);
    const move = ({ clientX }: globalThis.PointerEvent) => bounded(size + from - clientX);
    const end = () => handle.removeEventListener('pointermove', move);
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', end, { once: true });
  }

  function press({ key }: KeyboardEvent) {
    if (key === 'ArrowLeft') bounded(size + 16);
    else if (key === 'ArrowRight') bounded(size - 16);
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule of a page cannot be moved, this separator can.
    <div
      className="splitter"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(size)}
      aria-valuemin={least}
      aria-valuemax={Math.round(most)}
      onPointerDown={drag}
      onKeyDown={press}
    />
  );
}
