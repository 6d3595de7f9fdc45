export type IncidentKind = 'crash' | 'freeze' | 'stop' | 'message' | 'hint' | 'queue';

interface Incident {
  readonly kind: IncidentKind;
  /** Name of the process that it happened to; null: to all. */
  readonly process: string | null;
  readonly from: number;
  until: number;
}

/** How long a turn is delayed at most after something is over: the end of a lease, a look at the outbox, the pause after an error. A crash is never over. */
const RECOVERY_MS: Readonly<Record<IncidentKind, number>> = { crash: 0, freeze: 25_000, stop: 0, message: 12_000, hint: 0, queue: 6_000 };

/** What went wrong, with which process and when. A law forgives a loss or a delay only because of an incident that explains it. */
export class Incidents {
  readonly #all: Incident[] = [];

  /** The result ends it. */
  begin(kind: IncidentKind, process: string | null, from: number): (until: number) => void {
    const incident: Incident = { kind, process, from, until: Infinity };
    this.#all.push(incident);
    return (until) => {
      incident.until = until;
    };
  }

  note(kind: IncidentKind, process: string | null, from: number, until: number): void {
    this.#all.push({ kind, process, from, until });
  }

  /** Whether something that `of` accepts went wrong with one of the processes between the two times. */
  concern(processes: readonly (string | undefined)[], from: number, until: number, kinds?: readonly IncidentKind[]): boolean {
    return this.#all.some(
      (incident) =>
        incident.from <= until &&
        incident.until >= from &&
        (incident.process === null || processes.includes(incident.process)) &&
        (kinds === undefined || kinds.includes(incident.kind)),
    );
  }

  /** For how many milliseconds between the two times, those that overlap counted twice. */
  lasted(kind: IncidentKind, process: string, from: number, until: number): number {
    return this.#all.reduce(
      (sum, incident) =>
        incident.kind === kind && incident.process === process && incident.from <= until && incident.until >= from
          ? sum + Math.min(incident.until, until) - Math.max(incident.from, from)
          : sum,
      0,
    );
  }

  /** When the first of its kind happened to a process. */
  beginOf(kind: IncidentKind, process: string): number {
    return this.#all.find((incident) => incident.kind === kind && incident.process === process)?.from ?? Infinity;
  }

  /** How many milliseconds of delay between the two times are explained by what happened to the processes: as long as it lasted, and what it takes to get over it. */
  explained(processes: readonly string[], from: number, until: number): number {
    let sum = 0;
    for (const { kind, process, ...incident } of this.#all)
      if (incident.from <= until && incident.until >= from - 1_000 && (process === null || processes.includes(process)))
        sum += Math.min(incident.until, until) - Math.max(incident.from, from - 1_000) + RECOVERY_MS[kind];
    return sum;
  }

  /** Whether anything went wrong anywhere between the two times. */
  any(from: number, until: number): boolean {
    return this.#all.some((incident) => incident.from <= until && incident.until >= from);
  }
}
