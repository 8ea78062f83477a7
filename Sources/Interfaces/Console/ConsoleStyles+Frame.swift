extension ConsoleStyles {
  /// Colours, type, the head and the navigation.
  static let frame = #"""
    :root { color-scheme: light; --paper: #f5f5f2; --surface: #ffffff; --sunk: #f0f0ec; --line: #dcdcd5;
      --line-strong: #8a8d86; --ink: #1c1f23; --muted: #565c64; --accent: #0b5c66; --accent-soft: #e3f0f1;
      --on-accent: #ffffff; --ok: #17663a; --ok-soft: #e4f2e8; --warn: #7d4600; --warn-soft: #fcf0d9; --bad:
      #9f1f27; --bad-soft: #fbe8e8; --info: #1d549c; --info-soft: #e7eff9; --focus: #0b5c66; --mark: #fff3b0; }
    @media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { color-scheme: dark; --paper: #121518;
      --surface: #191d21; --sunk: #20252a; --line: #2d343a; --line-strong: #77808a; --ink: #e7e9eb; --muted:
      #a3abb4; --accent: #6cc5cb; --accent-soft: #17343a; --on-accent: #0c1a1c; --ok: #7ccf98; --ok-soft: #16301f;
      --warn: #edb96a; --warn-soft: #35270f; --bad: #f19a9d; --bad-soft: #3b1a1d; --info: #8fb9f2; --info-soft:
      #182a42; --focus: #6cc5cb; --mark: #4a4216; } }
    :root[data-theme="dark"] { color-scheme: dark; --paper: #121518; --surface: #191d21; --sunk: #20252a; --line:
      #2d343a; --line-strong: #77808a; --ink: #e7e9eb; --muted: #a3abb4; --accent: #6cc5cb; --accent-soft: #17343a;
      --on-accent: #0c1a1c; --ok: #7ccf98; --ok-soft: #16301f; --warn: #edb96a; --warn-soft: #35270f; --bad:
      #f19a9d; --bad-soft: #3b1a1d; --info: #8fb9f2; --info-soft: #182a42; --focus: #6cc5cb; --mark: #4a4216; }
    * { box-sizing: border-box; }
    [hidden] { display: none !important; }
    html { -webkit-text-size-adjust: 100%; }
    body { margin: 0; background: var(--paper); color: var(--ink);
      font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "PingFang SC",
      "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
      font-variant-numeric: tabular-nums; }
    h1, h2, h3, p, dl, dd, ol, ul, table { margin: 0; padding: 0; }
    h1 { font-size: 18px; line-height: 1.35; font-weight: 650; letter-spacing: -.005em; }
    h2 { font-size: 13px; font-weight: 650; color: var(--ink); }
    h3 { font-size: 14px; font-weight: 600; }
    :lang(zh) h1 { letter-spacing: 0; }
    a { color: var(--accent); text-decoration: underline; text-decoration-thickness: 1px; text-underline-offset:
      2px; }
    a:hover { text-decoration-thickness: 2px; }
    code, .id { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "Noto Sans Mono", Menlo,
      Consolas, monospace;
      font-size: 12.5px; }
    .id { overflow-wrap: anywhere; }
    .muted { color: var(--muted); }
    .above { padding: 12px 16px 0; margin: 0; }
    .nowrap { white-space: nowrap; }
    :focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: 3px; }
    .skip { position: absolute; left: -999px; top: 4px; background: var(--surface); padding: 8px 12px; z-index: 9; }
    .skip:focus { left: 4px; }
    .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
      }
    .top { display: flex; align-items: center; gap: 12px; height: 52px; padding: 0 16px; background: var(--surface);
      border-bottom: 1px solid var(--line); position: sticky; top: 0; z-index: 5; }
    .brand { display: flex; align-items: center; gap: 8px; font-weight: 650; color: var(--ink); text-decoration:
      none; white-space: nowrap; }
    .brand svg { color: var(--accent); }
    .realm { display: inline-flex; align-items: center; gap: 8px; border: 1px solid var(--line); border-radius: 6px;
      padding: 4px 8px; min-height: 32px; white-space: nowrap; }
    .realm b { font-weight: 600; }
    .search { flex: 1; max-width: 620px; display: flex; position: relative; }
    .search input { width: 100%; min-height: 34px; padding: 5px 40px 5px 32px; font: inherit; color: var(--ink);
      background: var(--sunk); border: 1px solid var(--line-strong); border-radius: 6px; }
    .search svg { position: absolute; left: 10px; top: 9px; color: var(--muted); pointer-events: none; }
    .search kbd { position: absolute; right: 8px; top: 7px; }
    kbd { font: 11px/1.4 ui-monospace, monospace; border: 1px solid var(--line-strong); border-radius: 4px; padding:
      1px 5px; color: var(--muted); background: var(--surface); }
    .top .end { margin-left: auto; display: flex; gap: 4px; align-items: center; }
    .quiet { display: inline-flex; align-items: center; gap: 6px; min-height: 32px; padding: 4px 9px; border: 0;
      border-radius: 6px; background: none; color: var(--ink); font: inherit; text-decoration: none; cursor:
      pointer; white-space: nowrap; }
    .quiet:hover { background: var(--sunk); }
    .frame { display: grid; grid-template-columns: 196px minmax(0, 1fr); max-width: 1560px; }
    nav.side { padding: 12px 8px 24px; border-right: 1px solid var(--line); min-height: calc(100vh - 52px); }
    nav.side ul { list-style: none; }
    nav.side li a { display: flex; justify-content: space-between; align-items: center; padding: 5px 10px;
      min-height: 30px; border-radius: 6px; color: var(--ink); text-decoration: none; }
    nav.side li a:hover { background: var(--sunk); }
    nav.side li a[aria-current] { background: var(--accent-soft); color: var(--accent); font-weight: 600; }
    nav.side .group { padding: 12px 10px 3px; font-size: 11.5px; color: var(--muted); }
    .count { font-size: 11.5px; min-width: 20px; text-align: center; border-radius: 10px; padding: 0 6px;
      background: var(--sunk); color: var(--muted); font-weight: 600; }
    .count.bad { background: var(--bad-soft); color: var(--bad); }
    .count.warn { background: var(--warn-soft); color: var(--warn); }
    main { padding: 16px 20px 40px; min-width: 0; }
    .crumbs { display: flex; gap: 6px; color: var(--muted); font-size: 13px; margin-bottom: 6px; flex-wrap: wrap; }
    .head { display: flex; gap: 16px; align-items: flex-start; justify-content: space-between; flex-wrap: wrap;
      margin-bottom: 12px; }
    .head .id { font-size: 13px; color: var(--muted); }
    .tags { display: flex; gap: 6px; flex-wrap: wrap; margin-top: 5px; }
    .tag { display: inline-flex; align-items: center; gap: 5px; border-radius: 5px; padding: 1px 7px; font-size:
      12px; font-weight: 600; background: var(--sunk); color: var(--ink); white-space: nowrap; }
    .tag.ok { background: var(--ok-soft); color: var(--ok); }
    .tag.warn { background: var(--warn-soft); color: var(--warn); }
    .tag.bad { background: var(--bad-soft); color: var(--bad); }
    .tag.info { background: var(--info-soft); color: var(--info); }
    .tag.live { background: var(--ink); color: var(--surface); }
    .actions { display: flex; gap: 8px; flex-wrap: wrap; }
    .button { display: inline-flex; align-items: center; gap: 6px; min-height: 34px; padding: 5px 13px;
      border-radius: 6px; border: 1px solid var(--line-strong); background: var(--surface); color: var(--ink); font:
      inherit; font-weight: 550; cursor: pointer; text-decoration: none; }
    .button:hover { background: var(--sunk); }
    .button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
    .button.small { min-height: 26px; padding: 1px 9px; font-size: 12.5px; }

    """#
}
