import type { ListItem, RootContent, TableRow } from 'mdast';
import type { ReactNode } from 'react';
import { MarkdownAddress } from './markdown-address.tsx';

/**
 * Renders parsed Markdown. HTML becomes text, an image its name and address, and a heading is not a heading of the
 * page.
 */
export function MarkdownNodes({ nodes }: { nodes: readonly RootContent[] }): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: nodes have no names, and are redrawn with their text.
  return nodes.map((node, index) => <MarkdownNode key={index} node={node} />);
}

function MarkdownNode({ node }: { node: RootContent }): ReactNode {
  switch (node.type) {
    case 'text':
      return node.value;
    case 'html':
      return node.value;
    case 'paragraph':
      return <p>{inside(node)}</p>;
    case 'heading':
      return <p className="markdown-heading">{inside(node)}</p>;
    case 'emphasis':
      return <em>{inside(node)}</em>;
    case 'strong':
      return <strong>{inside(node)}</strong>;
    case 'delete':
      return <del>{inside(node)}</del>;
    case 'inlineCode':
      return <code>{node.value}</code>;
    case 'code':
      return (
        <pre>
          <code>{node.value}</code>
        </pre>
      );
    case 'break':
      return <br />;
    case 'thematicBreak':
      return <hr />;
    case 'blockquote':
      return <blockquote>{inside(node)}</blockquote>;
    case 'list':
      return node.ordered ? <ol start={node.start ?? 1}>{inside(node)}</ol> : <ul>{inside(node)}</ul>;
    case 'listItem':
      return <Item item={node} />;
    case 'table':
      return <Table rows={node.children} />;
    case 'link':
      return (
        <MarkdownAddress
          address={node.url}
          said={node.children.map((part) => ('value' in part ? part.value : '')).join('')}
        >
          {inside(node)}
        </MarkdownAddress>
      );
    case 'image':
      return (
        <span className="markdown-image">
          ▨ {node.alt} <span className="markdown-address">{node.url.slice(0, 300)}</span>
        </span>
      );
    case 'linkReference':
      return inside(node);
    case 'definition':
      return (
        <p className="markdown-address">
          [{node.label ?? node.identifier}]: {node.url}
        </p>
      );
    default:
      // Node types that our parser does not produce; their content is shown.
      return 'children' in node ? inside(node) : 'value' in node ? node.value : null;
  }
}

function inside({ children }: { children: readonly RootContent[] }): ReactNode {
  return <MarkdownNodes nodes={children} />;
}

/** In a tight list the text is next to its bullet, without a paragraph. */
function Item({ item: { spread, checked, children } }: { item: ListItem }) {
  return (
    <li className={typeof checked === 'boolean' ? 'markdown-task' : undefined}>
      {typeof checked === 'boolean' && <span>{checked ? '☑ ' : '☐ '}</span>}
      {children.map((child, index) =>
        child.type === 'paragraph' && !spread ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <MarkdownNodes key={index} nodes={child.children} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <MarkdownNode key={index} node={child} />
        ),
      )}
    </li>
  );
}

function Table({ rows: [head, ...body] }: { rows: readonly TableRow[] }) {
  return (
    <table>
      <thead>
        <tr>
          {head?.children.map((cell, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: as above.
            <th key={index}>{inside(cell)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {body.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above.
          <tr key={index}>
            {row.children.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: as above.
              <td key={column}>{inside(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
