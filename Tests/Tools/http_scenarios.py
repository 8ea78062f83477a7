"""The ways in which a purchase fails on a phone. Each is a list of phases: the customer's actions, one after another.

A kill ends the current phase and the app; the next phase begins on the same phone, vault and server. Each entry states
the result that is due without a kill: how many grants of 100 coins each user gets.
"""

COINS = "coins.100"


def buy(world):
    world.app("anna").purchase(COINS)


def relaunch(world):
    world.app("anna")


def planned(plan, *more):
    def phase(world):
        world.phone.plans = [plan, *more]
        world.app("anna").purchase(COINS)
    return phase


def buy_while_finishes_do_not_stick(world):
    world.phone.finishes_that_do_not_stick = 2
    world.app("anna").purchase(COINS)


def another_signs_in(world):
    world.app("bert")


def both_buy(world):
    world.app("bert").purchase(COINS)


def remove_app(world):
    world.remove_vault()


def approve(world):
    world.phone.decide_ask_to_buy(True)


def decline(world):
    world.phone.decide_ask_to_buy(False)


def buy_while_network_is_down(world):
    app = world.app("anna")
    app.phone.plans = ["normal"]
    pay = app.phone.pay

    def pay_and_lose_network(*arguments):
        pay(*arguments)
        app.link.broken = 3  # until the request after 120 s

    app.phone.pay = pay_and_lose_network
    try:
        app.purchase(COINS)
    finally:
        app.phone.pay = pay


def buy_while_network_stays_down(world):
    app = world.app("anna")
    pay = app.phone.pay

    def pay_and_lose_network(*arguments):
        pay(*arguments)
        app.link.broken = 1000

    app.phone.pay = pay_and_lose_network
    try:
        app.purchase(COINS)
    finally:
        app.phone.pay = pay
        app.link.broken = 0


def crowd_queue(world):
    """An entry that cannot be verified, one without an owner, and one of another user of this phone."""
    world.phone.charge("com.example.demo.coins100", 1, None)
    world.phone.charge("com.example.demo.coins100", 1, world.order_of("bert"))
    forged = dict(world.phone.unfinished()[0], transactionId="1", token=None)
    head, body, _ = forged["evidence"].split(".")
    forged["evidence"] = ".".join([head, body, "A" * 86])
    world.phone.entries.append(forged)
    world.refused = {"1"}


def start_signed_out(world):
    app = world.app(None)
    if app.set_aside and "unclaimed" not in app.set_aside.values():
        raise AssertionError(f"nobody was signed in, and the verdicts were {app.set_aside}")


def buy_three(world):
    world.phone.plans = ["interruptedForLater"]
    world.app("anna").purchase(COINS, 6)


def then_six(world):
    world.app("anna").purchase(COINS, 6)


def then_two_sizes(world):
    app = world.app("anna")
    app.purchase(COINS, 2)
    app.purchase(COINS, 6)


def new_phone(world):
    world.change_phone()


# name: (what it proves, phases, pieces owed to each user without a kill)
SCENARIOS = {
    "normal": ("1A.2 1A.23 1A.24 1A.31 1A.34 1A.42 1A.62 1A.69", [buy], {"anna": 1}),
    "two in a row": ("1A.39 1A.47", [buy, buy], {"anna": 2}),
    "killed after the password": ("1A.50 1A.51 1A.74", [planned("killedAfterPassword"), relaunch], {"anna": 1}),
    "callback lost": ("1A.46", [planned("callbackLost")], {"anna": 1}),
    "told twice": ("1A.66 1A.67", [planned("toldTwice")], {"anna": 1}),
    "cancelled": ("1A.37 1A.71", [planned("cancelled")], {}),
    "cancelled, then bought": ("1A.39 X5", [planned("cancelled"), buy], {"anna": 1}),
    "failed although charged": ("1A.48 1A.72 X11", [planned("failedThoughCharged"), relaunch], {"anna": 1}),
    "interrupted": ("1A.52 X11", [planned("interrupted")], {"anna": 1}),
    "interrupted, accepted after the relaunch": ("1A.52 1A.51", [planned("interruptedForLater"), relaunch], {"anna": 1}),
    "finish does not stick": ("1A.70 1A.67", [buy_while_finishes_do_not_stick, relaunch, relaunch], {"anna": 1}),
    "token lost": ("1A.51 X14", [planned("tokenLost")], {"anna": 1}),
    "network down for a while": ("1A.63 S18", [buy_while_network_is_down], {"anna": 1}),
    "network down until the next start": ("1A.65 S18 X4 X16", [buy_while_network_stays_down, relaunch], {"anna": 1}),
    "user switched": ("1A.36", [planned("killedAfterPassword"), another_signs_in], {"anna": 1}),
    "user switched and token lost": ("1A.36 X14", [planned("interruptedForLater"), another_signs_in], {"anna": 1}),
    "user switched, and the next one buys": ("1A.36 1A.60", [planned("killedAfterPassword"), both_buy],
                                             {"anna": 1, "bert": 1}),
    "reinstalled": ("S19", [planned("killedAfterPassword"), remove_app, relaunch], {"anna": 1}),
    "reinstalled and token lost": ("S19", [planned("interruptedForLater"), remove_app, relaunch], {"anna": 1}),
    "new phone": ("S19", [planned("callbackLost"), new_phone, relaunch], {"anna": 1}),
    "ask to buy, approved": ("1A.45 S15", [planned("askToBuy"), approve, relaunch], {"anna": 1}),
    "ask to buy, approved after a reinstall": ("1A.45 S15 S19", [planned("askToBuy"), remove_app, approve, relaunch],
                                               {"anna": 1}),
    "ask to buy, declined": ("1A.45 S15", [planned("askToBuy"), decline, relaunch], {}),
    "interrupted six, then six": ("1A.54 1A.60", [buy_three, then_six], {"anna": 12}),
    "interrupted six, then two and six": ("1A.54 1A.60", [buy_three, then_two_sizes], {"anna": 14}),
    "a crowded queue still sells": ("1A.53 1A.56 X3", [crowd_queue, start_signed_out, buy], {"anna": 2, "bert": 1}),
}
