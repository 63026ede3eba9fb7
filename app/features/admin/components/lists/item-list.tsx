import { useMutation } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import { Fragment, type ReactNode, useState } from 'react';
import type { Changed } from '#app/features/admin/actions.ts';
import { type FetchPage, useList } from '#app/features/admin/hooks/use-list.ts';
import { useIsDesktop } from '#app/lib/browser/media.ts';
import { SecondaryButton } from '#app/ui/button.tsx';
import { SheetDialog } from '#app/ui/modal.tsx';
import type { MenuItem } from '#app/ui/popup-menu.tsx';
import { ListState } from './list-state.tsx';
import { RowMenu } from './row-menu.tsx';

type Column<Item> = {
  name: string;
  /** The CSS classes of the heading, which can set the width of the column. */
  headClass?: string;
  cellClass?: string;
  render(item: Item): ReactNode;
};

type Props<Item> = {
  noun: 'user' | 'poll';
  searchText: string;
  fetchPage: FetchPage<Item>;
  /** The cells of the first column are the row headers. */
  columns: readonly Column<Item>[];
  /** Renders an item on a phone, as a list item that contains `menu`. */
  renderCard(item: Item, menu: ReactNode): ReactNode;
  /** The menu of an item, without Delete. `apply` waits for a change and then updates the list. */
  menuOf(
    item: Item,
    apply: (change: Promise<Changed<Item>>) => void,
  ): { label: string; isDisabled?: boolean; items: readonly MenuItem[] };
  deletion: {
    titleOf(item: Item): string;
    textOf(item: Item): string;
    run(item: Item): Promise<Changed<Item>>;
  };
};

/** A searchable list of users or polls: a table on a desktop, cards on a phone. */
export function ItemList<Item extends { id: number | string }>(props: Props<Item>) {
  const { noun, searchText, fetchPage, columns, renderCard, menuOf, deletion } = props;
  const list = useList(`${noun}s`, fetchPage, searchText);
  const isDesktop = useIsDesktop();
  const [pendingDelete, setPendingDelete] = useState<Item | null>(null);
  const caption = noun === 'user' ? 'Users' : 'Polls';

  async function apply(change: Promise<Changed<Item>>) {
    const changed = await change;
    if (changed === null) list.reload();
    else await list.replace(changed);
  }

  function renderMenu(item: Item) {
    const { items, ...menu } = menuOf(item, (change) => void apply(change));
    const remove = {
      icon: Trash2,
      label: `Delete ${noun}`,
      isDestructive: true,
      onSelect: () => setPendingDelete(item),
    };
    return <RowMenu {...menu} items={[...items, remove]} />;
  }

  return (
    <>
      <ListState list={list} itemsName={`${noun}s`} failure={`Failed to fetch ${noun}s`}>
        {isDesktop ? (
          <Table caption={caption} columns={columns} items={list.items} renderMenu={renderMenu} />
        ) : (
          <ul aria-label={caption} className="grid gap-2.5">
            {list.items.map((item) => (
              <Fragment key={item.id}>{renderCard(item, renderMenu(item))}</Fragment>
            ))}
          </ul>
        )}
      </ListState>
      {pendingDelete !== null && (
        <DeleteDialog
          key={pendingDelete.id}
          title={deletion.titleOf(pendingDelete)}
          text={deletion.textOf(pendingDelete)}
          confirmLabel={`Delete ${noun}`}
          onConfirm={() => apply(deletion.run(pendingDelete))}
          // Also called when the deletion ends: if Esc closed this dialog before `isPending` was set, another one may be open then.
          onClose={() => setPendingDelete((current) => (current?.id === pendingDelete.id ? null : current))}
        />
      )}
    </>
  );
}

type TableProps<Item> = Pick<Props<Item>, 'columns'> & {
  caption: string;
  items: readonly Item[];
  renderMenu(item: Item): ReactNode;
};

function Table<Item extends { id: number | string }>(props: TableProps<Item>) {
  const { caption, columns, items, renderMenu } = props;
  const headClasses = 'h-12 px-2.5 text-left first:pl-4 lg:px-4 font-semibold text-muted text-small';
  const cellClasses = 'h-[3.375rem] px-2.5 py-1 first:pl-4 lg:px-4';
  return (
    <table className="card w-full table-fixed text-body">
      <caption className="sr-only">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, headClass = '' }) => (
            <th key={name} scope="col" className={`${headClasses} ${headClass}`}>
              {name}
            </th>
          ))}
          <th scope="col" className={`${headClasses} w-16`}>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr
            key={item.id}
            className="border-base-300 border-t hover:bg-base-300/40 last:*:first:rounded-bl-card last:*:last:rounded-br-card"
          >
            {columns.map(({ name, cellClass = '', render }, index) =>
              index === 0 ? (
                <th key={name} scope="row" className={`${cellClasses} text-left ${cellClass}`}>
                  {render(item)}
                </th>
              ) : (
                <td key={name} className={`${cellClasses} ${cellClass}`}>
                  {render(item)}
                </td>
              ),
            )}
            <td className={`${cellClasses} pl-0`}>{renderMenu(item)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type DialogProps = {
  title: string;
  text: string;
  confirmLabel: string;
  onConfirm(): Promise<void>;
  onClose(): void;
};

function DeleteDialog({ title, text, confirmLabel, onConfirm, onClose }: DialogProps) {
  const { mutate: confirm, isPending } = useMutation({ mutationFn: onConfirm, onSettled: onClose });
  const close = () => isPending || onClose();
  return (
    <SheetDialog title={title} onClose={close}>
      <p className="wrap-anywhere pb-2 text-field text-muted">{text}</p>
      <SecondaryButton className="min-h-12" onClick={close} aria-disabled={isPending}>
        Keep
      </SecondaryButton>
      <SecondaryButton
        ghost
        className="min-h-12 text-error"
        onClick={() => isPending || confirm()}
        aria-disabled={isPending}
      >
        {isPending ? 'Deleting…' : confirmLabel}
      </SecondaryButton>
    </SheetDialog>
  );
}
