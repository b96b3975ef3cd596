// Types that the page's modules share. Replies, commands and events are generated: operations.d.ts.

import type {
  Blocker,
  Check,
  CheckResult,
  Counts,
  CurrentStep,
  Envelope,
  EventType,
  FieldChange,
  Hit,
  Json,
  KeptEvidence,
  LoggedEvent,
  Need,
  Operations,
  OverviewRow,
  PackageProblem,
  PastOperation,
  PolicyFields,
  Risk,
  RootDetail,
  RootRow,
  SectionEdit,
  SectionRevision,
  SectionStamp,
  StepDetail,
  StepProof,
  SuggestedCall,
  TaskdocRow,
  ToolResultPayload,
  TreeRow,
} from "./operations.d.ts";

export type { EventType, Json };
export type LogEvent = LoggedEvent;

// Calls and replies

export type OperationName = keyof Operations;
/** What an operation takes; the workspace is added by the page. */
export type Arguments<N extends OperationName> = Omit<Operations[N]["command"], "workspace">;
export type Reply<N extends OperationName> = Operations[N]["reply"];
export type Call = SuggestedCall;
/** A refusal's body. */
export interface Problem {
  code?: string;
  message?: string;
  detail?: string;
  recovery?: string;
  status?: number;
  suggestion?: Call | null;
  current_revision?: number;
  missing?: Array<{ step_id?: string; path?: string } | null>;
  moved?: Array<{ where: string; says: string }>;
  holder?: string;
  since?: string;
  task?: string;
  step_id?: string;
  path?: string;
  error?: Problem;
}

type Replies = { [N in OperationName]: Operations[N]["reply"] };

export type Overview = Replies["workspace_overview"];
export type RadarReply = Replies["tasks_radar"];
export type ResumeReply = Replies["tasks_resume"];
export type HandoffReply = Replies["tasks_handoff"];
export type TreeReply = Replies["tasks_tree"];
export type HistoryReply = Replies["tasks_history"];
export type AwayReply = Replies["tasks_away"];
export type InboxReply = Replies["tasks_inbox"];
export type InboxItem = InboxReply["items"][number];
export type SearchReply = Replies["tasks_context"];
export type Held = NonNullable<RadarReply["held"]>[number];
export type Target = RootDetail;
/** What `tasks_resume` answers for a task or plan that it was asked for by id. */
export type Resumed = ResumeReply & { target: Target };
/** A plan or task in a list. */
export type Row = RootRow & Partial<OverviewRow>;
export type Place = CurrentStep;
export type Step = StepDetail;
/** One field before and after. */
export type Change = FieldChange;
export type Evidence = KeptEvidence;
export type Mark = StepProof;
export type Operation = PastOperation;
export type Revision = SectionRevision;
export type Finding = PackageProblem;
export type Checkpoint = StepProof["checkpoint"];
export type Provenance = StepProof["provenance"];
export type Policy = PolicyFields;
export type Selector = SectionRevision["selector"];
export type { Blocker, Check, CheckResult, Counts, Hit, Need, Risk, TaskdocRow, TreeRow };

/** A section of a taskdoc, as the page keeps it. */
export interface Section extends Omit<SectionStamp, "edited"> {
  content: string;
  edited?: SectionEdit;
  /** When the page saw this revision. */
  noticed?: number;
}
/** A taskdoc as the page keeps it. */
export interface Taskdoc {
  name: string;
  sections: Record<Selector, Section>;
  effective: string;
  plan: string | null;
  revision: number | undefined;
  findings: Finding[];
  archived: boolean;
}

// Streams

export type Connection = "waiting" | "live" | "lost" | "refused";
export type TodoUpdate = Envelope;
export type TodoItem = NonNullable<Envelope["item"]>;
export interface StreamEvent {
  seq: number;
  payload?: ToolResultPayload;
}

// Elements

export type Child = Node | string | number | boolean | null | undefined | Child[];
export type Handlers = { [type: string]: ((event: Json) => unknown) | null | undefined };
/** See `h` in dom.js. */
export interface About {
  key?: string | number;
  class?: unknown;
  on?: Handlers;
  data?: Record<string, string>;
  css?: Record<string, string | number>;
  keep?: boolean;
  state?: unknown;
  [attribute: string]: unknown;
}
export type ElementOf<T extends string> = T extends keyof HTMLElementTagNameMap
  ? HTMLElementTagNameMap[T]
  : HTMLElement;

declare global {
  interface Node {
    __key?: string | number;
    __keep?: boolean;
    __state?: unknown;
    __on?: Handlers;
    renew?(state: unknown): void;
  }
}

// Views

/** What a view receives. `open` is called once, `go` when the address changes within it. */
export interface View {
  open(...rest: string[]): unknown;
  go?(...rest: string[]): unknown;
  /** Events came, or `everything` may have changed. */
  changed?(events: LogEvent[], everything: boolean): unknown;
  /** There is a new overview. */
  overviewed?(overview: Overview): unknown;
  leave?(): void;
  /** Whether the address has to wait, because there is unsaved text. */
  stays?(event: HashChangeEvent): boolean;
}
/** A place that search leads to, or a command. */
export interface SearchResult {
  key: string;
  group: string;
  label: string;
  detail: string;
  also?: string;
  far?: boolean;
  run(): void;
}
