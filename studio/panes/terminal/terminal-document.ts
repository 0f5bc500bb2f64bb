import type { Terminal } from '@xterm/xterm';

/**
 * xterm puts its colours into `<style>` elements and `style` attributes, and the page's content security policy refuses
 * both. The same rules in a constructed style sheet, and the same styles set by script, are allowed. Its option
 * `documentOverride` does not cover all places that create elements, so the document itself is patched while xterm
 * opens, which is when it creates its style elements.
 */
export function openTerminal(terminal: Terminal, parent: HTMLElement): void {
  takeStylesByScript();
  Object.defineProperty(document, 'createElement', {
    value: (tag: string) => (tag === 'style' ? sheetElement() : original.call(document, tag)),
    configurable: true,
  });
  try {
    terminal.open(parent);
  } finally {
    Reflect.deleteProperty(document, 'createElement');
  }
}

const original = Document.prototype.createElement;

/** Looks like a `<style>` element to xterm, but is a style sheet of the page. */
function sheetElement(): HTMLElement {
  const element = original.call(document, 'i');
  const sheet = new CSSStyleSheet();
  element.hidden = true;
  document.adoptedStyleSheets.push(sheet);
  Object.defineProperty(element, 'textContent', { set: (rules: string) => sheet.replaceSync(rules) });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((adopted) => adopted !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

/** Colours beyond the first sixteen, and contrast-adjusted ones, are `style` attributes of spans. */
function takeStylesByScript(): void {
  HTMLSpanElement.prototype.setAttribute = function setAttribute(this: HTMLSpanElement, name: string, value: string) {
    if (name === 'style') this.style.cssText = value;
    else Element.prototype.setAttribute.call(this, name, value);
  };
}
