/** One row of the table. Latencies are in ms, CPU in ms per response, memory in MiB. */
export type BenchResult = {
  readonly work: string;
  readonly server: string;
  /** The unit of `rate`, such as `/s`, `ms` or `µs`. */
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

/** A figure and its goal: the figure must be at least or at most `goal`. */
export type GoalCheck = {
  readonly what: string;
  readonly figure: number;
  readonly goal: number;
  readonly by: 'at least' | 'at most';
};

/** Whether the figure meets its goal. */
export function meetsGoal({ figure, goal, by }: GoalCheck): boolean {
  return by === 'at least' ? figure >= goal : figure <= goal;
}
