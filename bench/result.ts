/** One line of the table. Rates are a second's; times in ms, CPU in ms for each answer, memory in MiB. */
export type BenchResult = {
  readonly work: string;
  readonly server: string;
  /** What a figure of `rate` counts, as `requests/s`, `ms` or `µs`. */
  readonly unit: string;
  readonly rate: number;
  readonly lowest: number;
  readonly highest: number;
  readonly p50?: number | undefined;
  readonly p99?: number | undefined;
  readonly serverCpu?: number | undefined;
  readonly databaseCpu?: number | undefined;
  readonly clientCpu?: number | undefined;
  readonly memoryMib?: number | undefined;
  readonly checks: readonly GoalCheck[];
};

/** A figure held against the one to reach (DESIGN, section 6): at least or at most `goal`. */
export type GoalCheck = {
  readonly what: string;
  readonly figure: number;
  readonly goal: number;
  readonly by: 'at least' | 'at most';
};

/** Whether a figure is what it should be. */
export function meetsGoal({ figure, goal, by }: GoalCheck): boolean {
  return by === 'at least' ? figure >= goal : figure <= goal;
}
