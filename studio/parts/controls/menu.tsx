import './menu.css';
import { DropdownMenu } from 'radix-ui';
import type { ReactElement, ReactNode } from 'react';

/**
 * A menu below its button. It is not modal: a modal one would add a style sheet that the page's policy forbids. It
 * handles keys pressed in it.
 */
export function Menu({ button, children }: { button: ReactElement; children: ReactNode }) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{button}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onKeyDown={(event) => event.stopPropagation()}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

interface ItemProps {
  children: ReactNode;
  isDanger?: boolean;
  disabled?: boolean;
  onSelect(): void;
}

export function MenuItem({ children, isDanger = false, disabled = false, onSelect }: ItemProps) {
  return (
    <DropdownMenu.Item className={isDanger ? 'danger' : undefined} disabled={disabled} onSelect={onSelect}>
      {children}
    </DropdownMenu.Item>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator />;
}
