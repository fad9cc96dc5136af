"""Values held against the schemas of /openapi.json, and drawn from them."""

ODD = [None, True, 0, -1, 1e400, 2**64, "", "x", "\u0000", "ü" * 200, [], {}, [[]], {"$": 1}, "x" * 70000]


class Schemas:
    def __init__(self, document):
        self.document = document
        self.all = document["components"]["schemas"]

    def described(self, method, path, status):
        """What the document says of an answer. `path`: with its names in braces."""
        responses = self.document["paths"][path][method]["responses"]
        return responses.get(str(status), responses["default"])

    def resolved(self, schema):
        while "$ref" in schema:
            schema = self.all[schema["$ref"].rsplit("/", 1)[1]]
        return schema

    def problems(self, schema, value, where=""):
        schema = self.resolved(schema)
        if "oneOf" in schema:
            if not any(not list(self.problems(one, value)) for one in schema["oneOf"]):
                yield f"{where}: none of its kinds"
            return
        if "enum" in schema and value not in schema["enum"]:
            yield f"{where}: {value!r} is none of {schema['enum']}"
        kinds = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool, "null": type(None)}
        if "type" in schema and not isinstance(value, kinds[schema["type"]]):
            yield f"{where}: {value!r} is no {schema['type']}"
            return
        if isinstance(value, dict) and "properties" in schema:
            for name in schema.get("required", []):
                if name not in value:
                    yield f"{where}: {name} is missing"
            for name, one in value.items():
                if name in schema["properties"]:
                    yield from self.problems(schema["properties"][name], one, f"{where}/{name}")
                elif schema.get("additionalProperties") is False:
                    yield f"{where}: {name} is not described"
        if isinstance(value, list) and "items" in schema:
            for i, one in enumerate(value):
                yield from self.problems(schema["items"], one, f"{where}/{i}")

    def draw(self, schema, chance, wrong=0.1):
        """A value of the schema; a part of it is another one with the chance `wrong`."""
        if chance.random() < wrong:
            return chance.choice(ODD)
        schema = self.resolved(schema)
        if "enum" in schema:
            return chance.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object" and "properties" in schema:
            wanted = set(schema.get("required", []))
            few = chance.random() * 0.5
            drawn = {name: self.draw(one, chance, wrong / 2) for name, one in schema["properties"].items()
                     if name in wanted or chance.random() < few}
            if chance.random() < wrong:
                drawn["odd"] = 1
            return drawn
        if kind == "object":
            return {chance.choice("abc"): self.draw(schema.get("additionalProperties", {}), chance, wrong)}
        if kind == "array":
            return [self.draw(schema["items"], chance, wrong / 2) for _ in range(chance.randint(0, 3))]
        if kind == "string":
            return chance.choice(["5s", "1h30m", "*/5 * * * *", "@daily", "Europe/Berlin", "2026-01-01T00:00:00Z",
                                  "2026-01-01T00:00:00+25:00", "1/2/3", "a=b", "name-1", "L * * * *", "7.3", "-1s"])
        if kind == "integer":
            return chance.choice([0, 1, 7, 1000, -5, 2**63])
        if kind == "boolean":
            return chance.random() < 0.5
        return {"any": [1, "x", None]}
