const PATHS = {
  plus: 'M8 3v10M3 8h10',
  search: 'M7 2.500a4.500 4.500 0 1 0 0 9 4.500 4.500 0 0 0 0-9M10.500 10.500 14 14',
  back: 'M10 3 5 8l5 5',
  chevron: 'm6 4 4 4-4 4',
  edit: 'M3 13l.7-3L10.500 3.200a1.200 1.200 0 0 1 1.700 0l.6.6a1.200 1.200 0 0 1 0 1.700L6 12.300z',
  again: 'M13 8a5 5 0 1 1-1.500-3.600M13 2v3h-3',
  fork: 'M5 3v4m0 0c0 3 6 1 6 4M5 7v6M11 3v2',
  rewind: 'M6.5 4 3 7.500 6.500 11M3 7.500h6.500a3.500 3.500 0 0 1 0 7',
  sent: 'M2.500 4h4v8h-4zM9.500 4h4v8h-4zM6.500 8h3',
  stop: 'M4.500 4.500h7v7h-7z',
  send: 'M8 13V3M4 7l4-4 4 4',
  clip: 'm12.500 7-5 5a3 3 0 0 1-4.200-4.200l5.400-5.400a2 2 0 0 1 2.800 2.800l-5.300 5.400a1 1 0 0 1-1.400-1.400L9.500 4.500',
  copy: 'M5.5 5.5h7v8h-7zM3.5 10.5v-8h7',
  check: 'm3.5 8.500 3 3 6-7',
  up: 'M5 13V7.500L8 2.500l1.200 1V7H13l-1 6zM5 7.500H3V13h2',
  down: 'M11 3v5.500L8 13.500l-1.200-1V9H3l1-6zM11 8.500h2V3h-2',
  theme: 'M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11',
  bell: 'M3 12.500 4.500 11V7a3.500 3.500 0 0 1 7 0v4l1.500 1.500zM6.500 14.500h3',
  pin: 'M6 2.500h4l-.5 4.500 2 2.500h-7l2-2.500zM8 9.500v4',
  more: 'M3.250 8h.01M8 8h.01M12.750 8h.01',
  keys: 'M2 4.500h12v7H2zM4.500 7h.01M7 7h.01M9.500 7h.01M12 7h.01M5.500 9.500h5',
  leave: 'M6 2.500H3v11h3M7 8h6.500M11 5.500 13.500 8 11 10.500',
  filter: 'M2.500 4.500h11M4.500 8h7M6.500 11.500h3',
  close: 'm4 4 8 8M12 4l-8 8',
  newest: 'M8 3v10M4 9l4 4 4-4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={`icon ${name}`} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
