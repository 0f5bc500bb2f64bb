import type { ISearchOptions } from '@xterm/addon-search';
import type { ITheme } from '@xterm/xterm';

/** The colours of the page, for drawing without its style sheets. */
export function terminalTheme(): ITheme {
  const colour = colourReader();
  const [red, green, yellow] = [colour('failed'), colour('succeeded'), colour('live')];
  const [blue, magenta, cyan] = [colour('waiting'), colour('tool'), colour('cyan')];
  const [text, quiet, ground] = [colour('text'), colour('quiet'), colour('sunken')];
  return {
    background: ground,
    foreground: text,
    cursor: text,
    cursorAccent: ground,
    selectionBackground: colour('selected'),
    scrollbarSliderBackground: colour('line'),
    scrollbarSliderHoverBackground: colour('line-strong'),
    scrollbarSliderActiveBackground: colour('line-strong'),
    ...{ black: colour('hover'), red, green, yellow, blue, magenta, cyan, white: text },
    ...{ brightBlack: quiet, brightRed: red, brightGreen: green, brightYellow: yellow },
    ...{ brightBlue: blue, brightMagenta: magenta, brightCyan: cyan, brightWhite: text },
  };
}

export function searchColours(): NonNullable<ISearchOptions['decorations']> {
  const colour = colourReader();
  const [found, active] = [colour('highlight'), colour('focus')];
  return {
    matchBackground: found,
    matchOverviewRuler: found,
    activeMatchBackground: found,
    activeMatchBorder: active,
    activeMatchColorOverviewRuler: active,
  };
}

/** Returns tokens as #rrggbb, which every library accepts; a token itself is `light-dark(…)`. */
function colourReader(): (token: string) => string {
  const probe = document.createElement('i');
  probe.hidden = true;
  return (token) => {
    document.body.append(probe);
    probe.style.color = `var(--${token})`;
    const parts = getComputedStyle(probe).color.match(/\d+/g) ?? [];
    probe.remove();
    return `#${parts
      .slice(0, 3)
      .map((part) => Number(part).toString(16).padStart(2, '0'))
      .join('')}`;
  };
}
