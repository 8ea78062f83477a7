extension ConsoleStyles {
  /// The parts of pages: panels, ticket, steps, timeline, lists and forms.
  static let parts = #"""
    .panel { background: var(--surface); border: 1px solid var(--line); border-radius: 8px; }
    .answer { display: grid; grid-template-columns: 4px minmax(0, 1fr) auto; gap: 0 14px; overflow: hidden;
      margin-bottom: 14px; }
    .answer > i { background: var(--warn); grid-row: 1 / 3; }
    .answer.ok > i { background: var(--ok); }
    .answer.bad > i { background: var(--bad); }
    .answer .say { padding: 12px 0 4px; font-size: 15px; line-height: 1.5; }
    .answer .say b { font-weight: 650; }
    .answer .do { padding: 12px 14px 0 0; display: flex; gap: 8px; align-items: flex-start; }
    .answer .tell { grid-column: 2 / 4; padding: 0 14px 12px 0; color: var(--muted); }
    .answer .tell q { color: var(--ink); quotes: none; }
    .ticket { display: grid; grid-template-columns: minmax(0, 1fr) 132px minmax(0, 1fr); margin-bottom: 14px; }
    .stub { background: var(--surface); border: 1px solid var(--line); padding: 11px 16px 13px; position: relative;
      }
    .stub.left { border-radius: 8px 0 0 8px; border-right: 0; }
    .stub.right { border-radius: 0 8px 8px 0; border-left: 0; }
    .stub .amount { font-size: 21px; font-weight: 650; letter-spacing: -.01em; }
    .stub dl { margin-top: 5px; }
    .perf { background: var(--surface); border-top: 1px solid var(--line); border-bottom: 1px solid var(--line);
      display: flex; flex-direction: column; align-items: center; justify-content: center; text-align: center;
      position: relative; gap: 3px; padding: 8px 6px; }
    .perf::before, .perf::after { content: ""; position: absolute; left: 50%; width: 14px; height: 14px;
      margin-left: -7px; border: 1px solid var(--line); background: var(--paper); border-radius: 50%; }
    .perf::before { top: -8px; clip-path: inset(7px 0 0 0); }
    .perf::after { bottom: -8px; clip-path: inset(0 0 7px 0); }
    .perf span.rule { border-left: 2px dashed var(--line-strong); flex: 1; min-height: 10px; }
    dl.kv { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 12px; font-size: 13px; }
    dl.kv dt { color: var(--muted); }
    dl.kv dd { min-width: 0; overflow-wrap: anywhere; }
    .steps { display: grid; grid-template-columns: repeat(6, minmax(0, 1fr)); list-style: none; margin-bottom: 16px;
      overflow: hidden; }
    .steps li { padding: 9px 12px 10px 34px; position: relative; border-left: 1px solid var(--line); }
    .steps li:first-child { border-left: 0; }
    .steps svg { position: absolute; left: 11px; top: 11px; }
    .steps b { display: block; font-weight: 600; }
    .steps small { display: block; font-size: 12.5px; color: var(--muted); line-height: 1.4; }
    .steps .ok svg { color: var(--ok); }
    .steps .bad svg { color: var(--bad); }
    .steps .bad { background: var(--bad-soft); }
    .steps .bad b, .steps .bad small { color: var(--bad); }
    .cols { display: grid; grid-template-columns: minmax(0, 1fr) 324px; gap: 16px; align-items: start; }
    .panel > header { display: flex; align-items: center; justify-content: space-between; gap: 10px; padding: 9px
      14px; border-bottom: 1px solid var(--line); flex-wrap: wrap; }
    .panel .body { padding: 10px 14px 12px; }
    .side-col { display: grid; gap: 12px; }
    .filter { display: flex; gap: 4px; flex-wrap: wrap; }
    .filter a { font-size: 12.5px; padding: 2px 8px; border-radius: 5px; color: var(--muted); text-decoration: none;
      min-height: 24px; }
    .filter a[aria-current] { background: var(--sunk); color: var(--ink); font-weight: 600; }
    .timeline { list-style: none; padding: 4px 0 8px; }
    .timeline > li { display: grid; grid-template-columns: 104px 22px minmax(0, 1fr); gap: 0 8px; padding: 0 14px 0
      14px; position: relative; }
    .timeline .when { text-align: right; padding-top: 9px; font-size: 12.5px; line-height: 1.4; }
    .timeline .when time { display: block; font-weight: 600; }
    .timeline .when small { color: var(--muted); font-size: 11.5px; }
    .timeline .dot { position: relative; }
    .timeline .dot::before { content: ""; position: absolute; left: 10px; top: 0; bottom: 0; width: 2px; background:
      var(--line); }
    .timeline > li:first-child .dot::before { top: 18px; }
    .timeline > li:last-child .dot::before { bottom: calc(100% - 18px); }
    .timeline .dot::after { content: ""; position: absolute; left: 5px; top: 13px; width: 12px; height: 12px;
      border-radius: 50%; background: var(--surface); border: 3px solid var(--line-strong); }
    .timeline .money .dot::after { border-color: var(--ok); background: var(--ok); }
    .timeline .fault .dot::after { border-color: var(--bad); background: var(--bad); }
    .timeline .ask .dot::after { border-color: var(--warn); background: var(--warn); }
    .timeline .what { padding: 8px 0 9px; border-bottom: 1px solid var(--line); min-width: 0; }
    .timeline > li:last-child .what { border-bottom: 0; }
    .timeline .line { display: flex; gap: 4px 10px; align-items: baseline; flex-wrap: wrap; }
    .timeline .who { font-size: 12px; color: var(--muted); }
    .timeline .why { color: var(--muted); font-size: 13px; margin-top: 1px; }
    .timeline .gap { grid-column: 1 / 4; display: grid; grid-template-columns: 104px 22px minmax(0, 1fr); gap: 0
      8px; font-size: 12px; color: var(--muted); }
    .timeline li.pause { padding-top: 2px; padding-bottom: 2px; }
    .timeline li.pause .dot::after { display: none; }
    .timeline li.pause .dot::before { background: none; border-left: 2px dotted var(--line-strong); }
    .timeline li.pause .what { border: 0; padding: 2px 0; font-size: 12px; color: var(--muted); }
    details.proof { margin-top: 5px; }
    details.proof > summary { cursor: pointer; color: var(--accent); font-size: 13px; width: max-content; max-width:
      100%; border-radius: 4px; min-height: 24px; padding: 1px 0; }
    .proof .inside { margin-top: 6px; border: 1px solid var(--line); border-radius: 6px; background: var(--sunk);
      padding: 9px 12px; }
    .checks { list-style: none; display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 2px 14px;
      font-size: 12.5px; margin-bottom: 8px; }
    .checks li { display: flex; gap: 6px; }
    .checks li::before { content: "✓"; color: var(--ok); font-weight: 700; }
    pre { margin: 0; max-width: 100%; font: 12px/1.55 ui-monospace, "Noto Sans Mono", monospace; overflow-x: auto;
      white-space: pre; }
    table { border-collapse: collapse; width: 100%; font-size: 13px; }
    th { text-align: left; font-weight: 600; color: var(--muted); font-size: 12px; padding: 2px 10px 4px 0; }
    td { padding: 4px 10px 4px 0; border-top: 1px solid var(--line); vertical-align: top; }
    td.n, th.n { text-align: right; padding-right: 0; }
    .scroll { overflow-x: auto; }
    .copy { border: 0; background: none; padding: 0 4px; min-width: 24px; min-height: 24px; color: var(--muted);
      cursor: pointer; border-radius: 4px; vertical-align: -6px; margin-block: -4px; }
    .copy:hover { background: var(--sunk); color: var(--ink); }
    .note { font-size: 13px; }
    .note + .note { margin-top: 8px; }
    .note small { color: var(--muted); display: block; }
    footer.foot { grid-column: 1 / 3; padding: 10px 20px 24px; color: var(--muted); font-size: 12px; display: flex;
      gap: 16px; flex-wrap: wrap; }
    .banner { padding: 6px 16px; font-size: 13px; font-weight: 600; color: var(--warn); border-bottom: 1px solid
      var(--line); background: repeating-linear-gradient(135deg, var(--warn-soft) 0 12px, var(--surface) 12px 24px);
      }
    .banner span { background: var(--warn-soft); padding: 1px 8px; border-radius: 4px; }
    .tag.hatched { color: var(--warn); background: repeating-linear-gradient(135deg, var(--warn-soft) 0 5px,
      var(--surface) 5px 10px); border: 1px solid var(--warn); }
    .realm { color: inherit; text-decoration: none; }
    .top form.plain { display: inline; margin: 0; }
    .notice { display: flex; gap: 10px; padding: 9px 14px; margin-bottom: 14px; border-left: 4px solid var(--ok); }
    .notice.bad { border-left-color: var(--bad); }
    .notice.warn { border-left-color: var(--warn); }
    .field { display: grid; gap: 3px; margin-bottom: 10px; }
    .field label { font-weight: 600; font-size: 13px; }
    .field small { color: var(--muted); }
    .field input, .field textarea, .field select, .filters input, .filters select { font: inherit; color:
      var(--ink); background: var(--sunk); border: 1px solid var(--line-strong); border-radius: 6px; padding: 5px
      9px; min-height: 34px; width: 100%; max-width: 100%; }
    .field textarea { min-height: 64px; resize: vertical; }
    details.act > summary { list-style: none; }
    details.act > summary::-webkit-details-marker { display: none; }
    details.act[open] { flex-basis: 100%; }
    details.act > form { margin-top: 10px; padding: 12px 14px; border: 1px solid var(--line); border-radius: 8px;
      background: var(--sunk); max-width: 460px; }
    .answer .do { flex-wrap: wrap; }
    .answer .do:has(details[open]) { grid-column: 2 / 4; }
    .cards { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 12px; margin-bottom: 16px; }
    .card { display: block; padding: 12px 14px; color: var(--ink); text-decoration: none; border-top: 3px solid
      var(--ok); }
    .card.warn { border-top-color: var(--warn); }
    .card.bad { border-top-color: var(--bad); }
    a.card:hover { background: var(--sunk); }
    .card b { display: block; font-size: 21px; font-weight: 650; }
    .card small { color: var(--muted); }
    .list { overflow-x: auto; }
    .list table { min-width: 560px; }
    .list th, .list td { padding-left: 14px; padding-right: 8px; }
    .list th { padding-top: 8px; }
    .list td .id { white-space: nowrap; }
    .list caption { text-align: left; padding: 9px 14px 0; font-weight: 650; }
    .empty { padding: 18px 14px; color: var(--muted); }
    .pager { display: flex; gap: 8px; padding: 10px 14px; border-top: 1px solid var(--line); }
    .filters { display: flex; gap: 8px; flex-wrap: wrap; align-items: end; padding: 10px 14px; border-bottom: 1px
      solid var(--line); }
    .filters label { font-size: 12.5px; color: var(--muted); display: grid; gap: 2px; min-width: 130px; }
    .items { list-style: none; }
    .items > li { padding: 11px 14px; border-top: 1px solid var(--line); }
    .items > li:first-child { border-top: 0; }
    .items p { margin-top: 2px; }
    .items .button { max-width: 100%; overflow-wrap: anywhere; }
    .list tbody tr:focus-within, .items > li:focus-within { background: var(--sunk); }
    dialog { margin: auto; width: min(420px, calc(100vw - 24px)); max-height: calc(100vh - 24px); overflow: auto;
      padding: 16px 18px; border: 1px solid var(--line-strong); border-radius: 10px; background: var(--surface);
      color: var(--ink); }
    dialog::backdrop { background: rgb(0 0 0 / 45%); }
    dialog p { margin: 12px 0; color: var(--muted); font-size: 12.5px; }
    dialog h2 { margin-bottom: 10px; }
    :where(p, form, details.act) + :where(form, details.act) { margin-top: 8px; }
    .do > :where(form, details.act) { margin-top: 0; }
    .items .do, .stack > .do { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }
    .items .line { display: flex; gap: 4px 10px; align-items: baseline; flex-wrap: wrap; }
    .sign-in { max-width: 460px; margin: 8vh auto 0; padding: 0 12px; }
    .sign-in .panel { padding: 20px 22px; }
    .sign-in h1 { margin-bottom: 8px; }
    .sign-in p { margin-bottom: 12px; }
    .sign-in code { background: var(--sunk); padding: 1px 5px; border-radius: 4px; overflow-wrap: anywhere; }
    .stack { display: grid; gap: 14px; grid-template-columns: minmax(0, 1fr); }
    .panel > h2 { padding: 9px 14px; border-bottom: 1px solid var(--line); }
    .steps .todo svg { color: var(--line-strong); }
    .steps .todo b { color: var(--muted); font-weight: 500; }
    .steps .warn svg { color: var(--warn); }
    .steps .warn { background: var(--warn-soft); }
    .steps .warn b, .steps .warn small { color: var(--warn); }
    .timeline h3, .timeline .who { overflow-wrap: anywhere; }
    .timeline .why, .panel p, .panel td { overflow-wrap: anywhere; }
    .panel .list td { overflow-wrap: break-word; }
    .list td time { white-space: nowrap; }
    pre { white-space: pre-wrap; overflow-wrap: anywhere; }
    dl.kv dd a { display: inline-block; min-height: 24px; line-height: 24px; }
    td form.plain, .body > form.plain { display: inline-block; margin: 0 6px 6px 0; }
    .body > form:not(.plain) + form.plain { margin-top: 10px; }
    .body > form + form:not(.plain) { margin-top: 14px; padding-top: 12px; border-top: 1px solid var(--line); }
    .body h3 { margin: 8px 0 6px; }
    .effect { margin-top: 6px; }
    main > p { margin-bottom: 12px; }
    .panel > header > .tag { margin-right: auto; }
    .charts { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 12px; margin-bottom: 16px; }
    .series { display: grid; grid-template-columns: 150px minmax(0, 1fr); gap: 2px 12px; align-items: end;
      padding: 4px 0; }
    .series span, .series small { display: block; font-size: 12.5px; }
    .series b { font-size: 15px; overflow-wrap: anywhere; }
    .bars { display: block; width: 100%; height: 44px; border-bottom: 1px solid var(--line-strong); }
    .bars.ok { fill: var(--ok); }
    .bars.warn { fill: var(--warn); }
    .bars.bad { fill: var(--bad); }
    .bars.info { fill: var(--info); }
    .axis { display: flex; justify-content: space-between; padding-left: 162px; font-size: 11.5px; color:
      var(--muted); }
    .chart summary { cursor: pointer; color: var(--accent); font-size: 13px; min-height: 24px; width: max-content; }
    .chart .list table { min-width: 0; }
    .chart .list th, .chart .list td { padding: 2px 8px 2px 0; }
    button.link { border: 0; background: none; color: var(--accent); font: inherit; padding: 0; cursor: pointer;
      text-decoration: underline; min-height: 24px; }

    """#
}
