import { describe, expect, it } from '@jest/globals';
import { Remembered } from './remembered.js';

interface Item {
  readonly name: string;
}

const items = (...names: readonly string[]): readonly Item[] => names.map((name) => ({ name }));

describe('results for a list', () => {
  it.each<[string, (list: readonly Item[]) => readonly Item[], string]>([
    ['grew', (list) => [...list, ...items('new')], 'new'],
    ['grew in the middle', (list) => list.toSpliced(2, 0, ...items('new')), 'new'],
    ['lost its beginning', (list) => list.slice(2), ''],
    ['was cut', (list) => list.slice(0, 2), ''],
    ['was reordered', (list) => list.toReversed(), ''],
    ['got another object with the same content', (list) => list.with(1, { ...list[1]! }), 'b'],
  ])('are made for what is new in it when it %s', (_, change, made) => {
    const before = items('a', 'b', 'c', 'd');
    const asked: string[] = [];
    const remembered = new Remembered<Item, Item>();
    const all = (list: readonly Item[]) =>
      remembered.all(list, (item) => {
        asked.push(item.name);
        return { name: item.name.toUpperCase() };
      });
    all(before);
    asked.length = 0;
    const after = change(before);
    expect(all(after)).toEqual(after.map(({ name }) => ({ name: name.toUpperCase() })));
    expect(asked.join()).toBe(made);
  });

  it('are the list itself when each of them is the object itself', () => {
    const list = items('a', 'b');
    expect(new Remembered<Item, Item>().all(list, (item) => item)).toBe(list);
  });
});
