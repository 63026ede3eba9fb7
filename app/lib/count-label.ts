/** "1 change", "3 changes". The plural of `noun` must end in "s". */
export function countLabel(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
