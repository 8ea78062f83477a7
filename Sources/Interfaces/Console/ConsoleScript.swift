/// The one script of the console. It only adds: every page and every action works without it.
enum ConsoleScript {
  /// The most bytes that it may have.
  static let bytesMax = 8 << 10

  /// Copies texts, changes the theme, reads the code out of a sign-in link, asks for passkeys, and does what the keys
  /// of `KeyHelp` say.
  static let text = #"""
    "use strict";
    (() => {
      const root = document.documentElement;
      const isChinese = root.lang.startsWith("zh");
      const status = document.createElement("p");
      status.className = "sr";
      status.setAttribute("role", "status");
      document.querySelector("main, body").append(status);
      const copy = async (text) => {
        try {
          await navigator.clipboard.writeText(text);
          status.textContent = isChinese ? "已复制" : "Copied";
        } catch {
          status.textContent = text;
        }
      };
      const remembered = (() => { try { return localStorage.getItem("theme"); } catch { return null; } })();
      if (remembered === "dark" || remembered === "light") root.dataset.theme = remembered;
      for (const button of document.querySelectorAll("button[hidden]")) {
        button.hidden = false;
      }
      document.addEventListener("click", (event) => {
        const button = event.target.closest("button");
        if (!button) return;
        if (button.dataset.copy) copy(button.dataset.copy);
        if (button.dataset.copyFrom) copy(button.parentElement.querySelector(button.dataset.copyFrom).textContent);
        if (button.dataset.keys) ofKeys[button.dataset.keys]();
        if ("themeSwitch" in button.dataset) {
          const dark = root.dataset.theme
            ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
          root.dataset.theme = dark ? "light" : "dark";
          try { localStorage.setItem("theme", root.dataset.theme); } catch { /* Private windows keep nothing. */ }
        }
      });
      const keys = document.getElementById("keys");
      const areOff = () => { try { return localStorage.getItem("keys") === "off"; } catch { return false; } };
      const switcher = document.querySelector("[data-keys=switch]");
      const nameSwitcher = () => {
        if (!switcher) return;
        switcher.textContent = areOff()
          ? isChinese ? "启用单键快捷键" : "Switch single keys on" : isChinese ? "停用单键快捷键" : "Switch single keys off";
      };
      nameSwitcher();
      const ofKeys = {
        show: () => keys.showModal(),
        close: () => keys.close(),
        switch: () => {
          try { localStorage.setItem("keys", areOff() ? "on" : "off"); } catch { /* They stay on. */ }
          nameSwitcher();
        },
      };
      const step = (by) => {
        const rows = [...document.querySelectorAll("main .list tbody tr, main .items > li")]
          .filter((row) => row.querySelector("a, summary"));
        const at = rows.findIndex((row) => row.contains(document.activeElement));
        rows[Math.min(Math.max(at + by, 0), rows.length - 1)]?.querySelector("a, summary").focus();
      };
      const openMain = () => {
        const main = document.querySelector("main summary.button.main");
        if (!main) return;
        main.parentElement.open = true;
        main.parentElement.querySelector("textarea, select, input:not([type=hidden])")?.focus();
      };
      const does = {
        "/": () => document.getElementById("q")?.focus(),
        "j": () => step(1),
        "k": () => step(-1),
        "c": () => { const one = document.querySelector("main [data-copy]"); if (one) copy(one.dataset.copy); },
        "r": openMain,
        "?": () => keys?.showModal(),
      };
      const isTyping = (one) => /^(INPUT|TEXTAREA|SELECT)$/.test(one.tagName) || one.isContentEditable;
      let wentAt = -Infinity;
      document.addEventListener("keydown", (event) => {
        if (event.metaKey || event.ctrlKey || event.altKey || event.isComposing || isTyping(event.target)) return;
        if (event.key === "Shift" || keys?.open || areOff()) return;
        const isSecond = event.timeStamp - wentAt < 1500;
        wentAt = !isSecond && event.key === "g" ? event.timeStamp : -Infinity;
        if (isSecond) {
          [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === "g " + event.key)?.click();
        } else if (Object.hasOwn(does, event.key)) {
          event.preventDefault();
          does[event.key]();
        }
      });
      const bytes = (text) =>
        Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (digit) => digit.charCodeAt(0));
      const written = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
        .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
      const ask = ({passkey, host, user, name, exclude}, challenge) => {
        if (passkey === "get") {
          return navigator.credentials.get({publicKey: {challenge, rpId: host, userVerification: "required"}});
        }
        return navigator.credentials.create({publicKey: {
          challenge, rp: {id: host, name: "Counterfoil"}, user: {id: bytes(user), name, displayName: name},
          pubKeyCredParams: [{type: "public-key", alg: -7}], attestation: "none",
          authenticatorSelection: {residentKey: "required", userVerification: "required"},
          excludeCredentials: exclude.split(" ").filter(Boolean).map((id) => ({type: "public-key", id: bytes(id)})),
        }});
      };
      for (const form of document.querySelectorAll("form[data-passkey]")) {
        if (!window.PublicKeyCredential) continue;
        form.hidden = false;
        form.addEventListener("submit", async (event) => {
          const fields = form.elements;
          if (fields.credential.value) return;
          event.preventDefault();
          try {
            const made = await ask(form.dataset, bytes(fields.challenge.value));
            fields.clientData.value = written(made.response.clientDataJSON);
            fields.data.value = written(made.response.attestationObject ?? made.response.authenticatorData);
            fields.signature.value = made.response.signature ? written(made.response.signature) : "";
            fields.credential.value = written(made.rawId);
            form.requestSubmit();
          } catch (error) {
            form.querySelector("[role=alert]").textContent =
              (isChinese ? "通行密钥没有完成：" : "The passkey was not used: ") + error.name;
          }
        });
      }
      const code = document.querySelector("[data-code]");
      if (code && location.hash.length > 1) {
        code.value = decodeURIComponent(location.hash.slice(1));
        history.replaceState(null, "", location.pathname);
        code.form.requestSubmit();
      }
    })();

    """#
}
