extension ConsoleStyles {
  /// Narrow windows, print, forced colours.
  static let media = #"""
    @media (max-width: 1180px) { .cols { grid-template-columns: minmax(0, 1fr); } .side-col { grid-template-columns:
      repeat(2, minmax(0, 1fr)); } .steps { grid-template-columns: repeat(3, minmax(0, 1fr)); } .steps
      li:nth-child(4) { border-left: 0; } .steps li:nth-child(n+4) { border-top: 1px solid var(--line); } }
    @media (max-width: 760px) { .frame { grid-template-columns: minmax(0, 1fr); } nav.side { min-height: 0; padding:
      4px 6px; border-right: 0; border-bottom: 1px solid var(--line); display: flex; overflow-x: auto; } nav.side ul
      { display: flex; } nav.side .group { display: none; } nav.side li a { white-space: nowrap; min-height: 34px; }
      main { padding: 12px 12px 32px; } .top { padding: 0 10px; gap: 8px; height: auto; flex-wrap: wrap;
      padding-block: 8px; } .search { order: 9; flex-basis: 100%; max-width: none; } .search kbd, .hide-s { display:
      none; } .ticket { grid-template-columns: minmax(0, 1fr); } .stub.left { border-radius: 8px 8px 0 0;
      border-right: 1px solid var(--line); border-bottom: 0; } .stub.right { border-radius: 0 0 8px 8px;
      border-left: 1px solid var(--line); border-top: 0; } .perf { flex-direction: row; border: solid var(--line);
      border-width: 0 1px; padding: 0 10px; } .perf::before, .perf::after { display: none; } .perf span.rule {
      border-left: 0; border-top: 2px dashed var(--line-strong); min-height: 0; } .steps { grid-template-columns:
      repeat(2, minmax(0, 1fr)); } .steps li { border-top: 1px solid var(--line); } .steps li:nth-child(-n+2) {
      border-top: 0; } .steps li:nth-child(odd) { border-left: 0; } .answer { grid-template-columns: 4px minmax(0,
      1fr); } .answer > i { grid-row: 1 / 4; } .answer .do, .answer .tell { grid-column: 2; padding-right: 12px; }
      .answer .do { flex-wrap: wrap; } .side-col { grid-template-columns: minmax(0, 1fr); } .checks {
      grid-template-columns: minmax(0, 1fr); } .timeline > li { grid-template-columns: 18px minmax(0, 1fr); padding:
      0 12px; gap: 0 8px; } .timeline .when { grid-column: 2; grid-row: 1; text-align: left; display: flex; gap:
      8px; padding-top: 7px; } .timeline .dot { grid-column: 1; grid-row: 1 / 3; } .timeline .what { grid-column: 2;
      padding-top: 0; } .timeline .dot::before { left: 7px; } .timeline .dot::after { left: 2px; top: 11px; }
      .timeline li.pause > div:first-child { display: none; } .timeline li.pause .dot { grid-row: 1; } td, th {
      white-space: nowrap; } footer.foot { grid-column: 1; padding-inline: 12px; } .cards, .charts, .series {
      grid-template-columns: minmax(0, 1fr); } .axis { padding-left: 0; }
      .sign-in { margin-top: 3vh; } .realm { min-width: 0; } .top .end { gap: 0; } .quiet { padding: 4px 6px; } }
    @media (forced-colors: active) { .bars { fill: CanvasText; } .timeline .dot::after, .tag { border: 1px
      solid CanvasText; } }
    @media print { .banner, .top, nav.side, .actions, .do, .filter, .copy { display: none; } .frame, .cols {
      display: block; } details.proof > .inside { display: block; } body { background: #fff; } }

    """#
}
