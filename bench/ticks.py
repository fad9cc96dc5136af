"""For process_bench: as many steps as there are milliseconds."""

name = "ticks"


async def node(t):
    while True:
        await t.sleep("1ms")
